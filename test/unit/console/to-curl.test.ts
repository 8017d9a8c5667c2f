import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toCurl } from '../../../console/src/parts/to-curl.ts';

test('the console formats a request as a curl command without the token', () => {
  expect(toCurl('https://api.example', { method: 'GET', path: '/api/runs?limit=1' })).toBe(
    `curl -sS 'https://api.example/api/runs?limit=1' \\\n  -H "authorization: Bearer $TOKEN"`,
  );
});

test('a shell passes any body of a curl command on unchanged', () => {
  const body = { text: `it's $HOME, \`id\` and "more"\n\\` };
  const command = toCurl('https://api.example', {
    method: 'POST',
    path: '/api/x',
    body,
    headers: { 'if-match': '"d"' },
  });
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`;
  const words = execFileSync('sh', ['-c', script], { env: { TOKEN: 't' } })
    .toString()
    .split('\0');
  expect(words).toContain('authorization: Bearer t');
  expect(words).toContain('if-match: "d"');
  expect(JSON.parse(words[words.indexOf('--data-raw') + 1] ?? '')).toEqual(body);
});
