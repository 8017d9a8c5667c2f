import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What a process of its own writes, whose standard output is no terminal. */
async function saidWith(settings: object): Promise<string> {
  const program = `
    const { openProcessLogger } = await import('./src/process/logger.ts');
    const logger = await openProcessLogger(${JSON.stringify({ LOG_LEVEL: 'info', ...settings })});
    logger.warn({ run: 'R1', node: 'pay' }, 'a call failed');`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', program],
    { cwd: root, env: { PATH: process.env['PATH'] } },
  );
  return stdout.trim();
}

test.each([{}, { LOG_FORMAT: 'json' }])(
  'a log line is JSON without a terminal, with the environment %j',
  async (settings) => {
    const line: unknown = JSON.parse(await saidWith(settings));
    expect(line).toMatchObject({ level: 40, run: 'R1', node: 'pay', msg: 'a call failed' });
  },
);

test('a log line is formatted for people if the environment requests it', async () => {
  expect(await saidWith({ LOG_FORMAT: 'pretty' })).toMatch(
    /^\[[\d:.]+\] WARN: a call failed \{"run":"R1","node":"pay"\}$/,
  );
});
