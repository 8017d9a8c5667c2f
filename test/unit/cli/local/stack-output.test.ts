import { expect, test } from 'vitest';
import { openStackOutput } from '../../../../src/cli/local/stack-output.ts';

const STACK = { baseUrl: 'http://127.0.0.1:3000', temporalAddress: '127.0.0.1:7233', uiUrl: 'http://127.0.0.1:8233' };
const FILES = { tokens: '.holdfast/tokens.json', log: '.holdfast/holdfast.log' };
const RUN_LINE = {
  at: '2026-11-28T00:07:59.123Z',
  graph: 'refund',
  runId: '01R',
  text: 'failed: TOOL_FAILED',
} as const;

/** Opens the output of a stack, for a terminal or a pipe. @returns it, and what is printed to both streams */
function openOutput(flags: { readonly json?: boolean; readonly quiet?: boolean; readonly isTTY?: boolean } = {}) {
  const printed = { stdout: '', stderr: '' };
  const { isTTY = false, json = false, quiet = false } = flags;
  const files = { dataDir: '.holdfast', logFile: undefined, issuerJwk: undefined, tokensFile: undefined };
  const output = openStackOutput(
    { ...files, demo: false, json, quiet },
    {
      stdout: { isTTY, write: (text) => void (printed.stdout += text) },
      stderr: { isTTY, write: (text) => void (printed.stderr += text) },
      env: {},
    },
  );
  return { output, printed };
}

test('a stack prints at once what is starting, and then how long each part has taken', () => {
  const { output, printed } = openOutput();
  expect(printed.stderr).toBe('Starting PostgreSQL, Temporal, a worker and the API …\n');
  output.started?.({ name: 'Temporal', tookMs: 2_140 });
  expect(printed.stderr).toContain('\n  Temporal: ready in 2.1 s\n');
});

test('a ready stack prints the console without a sign-in code, and names the time zone', () => {
  const { output, printed } = openOutput();
  output.ready(STACK, FILES);
  expect(printed.stdout).toMatch(/^Holdfast is running after \d+\.\d s\. Ctrl-C stops it/);
  expect(printed.stdout).toContain(
    'Console           http://127.0.0.1:3000/console ("npx holdfast console" signs in)\n',
  );
  expect(printed.stdout).toContain(`Times below       ${Intl.DateTimeFormat().resolvedOptions().timeZone}\n`);
});

test('a stack with --json prints one line of JSON and nothing else', () => {
  const { output, printed } = openOutput({ json: true });
  output.started?.({ name: 'Temporal', tookMs: 1 });
  output.ready(STACK, FILES);
  expect([output.printRun, printed.stderr, JSON.parse(printed.stdout)]).toEqual([
    undefined,
    '',
    { ready: true, ...STACK },
  ]);
});

test('a quiet stack prints no events of runs', () => {
  expect(openOutput({ quiet: true }).output.printRun).toBeUndefined();
});

const IN_RED = '\u001B[31m';

test.each([
  ['a terminal shows a failure in red', true, `${IN_RED}failed: TOOL_FAILED\u001B[39m\n`],
  ['a pipe gets no colors', false, 'refund 01R  failed: TOOL_FAILED\n'],
])('%s', (_, isTTY, end) => {
  const { output, printed } = openOutput({ isTTY });
  output.printRun?.({ ...RUN_LINE, tone: 'failure' });
  expect(printed.stdout.endsWith(end)).toBe(true);
});

test('the time of an event is local', () => {
  const { output, printed } = openOutput();
  output.printRun?.({ ...RUN_LINE, tone: null });
  const { at } = RUN_LINE;
  expect(printed.stdout.slice(0, 8)).toBe(new Date(at).toLocaleTimeString('en-GB'));
});
