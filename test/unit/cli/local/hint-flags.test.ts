import { expect, test } from 'vitest';
import { hintFlags } from '../../../../src/cli/local/stack-output.ts';

const HERE = { dataDir: '.holdfast', logFile: undefined, issuerJwk: undefined, tokensFile: undefined };

test.each([
  [{}, { token: '', console: '', logs: '' }],
  [{ dataDir: '/d' }, { token: ' --data-dir /d', console: ' --data-dir /d', logs: ' --data-dir /d' }],
  [
    { dataDir: '/d', logFile: 'a.log' },
    { token: ' --data-dir /d', console: ' --data-dir /d', logs: ' --log-file a.log' },
  ],
  [{ issuerJwk: 'k.json' }, { token: ' --issuer-jwk k.json', console: ' --issuer-jwk k.json', logs: '' }],
  [{ tokensFile: 't.json' }, { token: '', console: ' --tokens-file t.json', logs: '' }],
  [{ logFile: "it's here" }, { token: '', console: '', logs: String.raw` --log-file 'it'\''s here'` }],
])('the commands that a development stack with %j suggests find its files', (files, flags) => {
  expect(hintFlags({ ...HERE, ...files })).toEqual(flags);
});
