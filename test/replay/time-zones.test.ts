import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/* Workers stand in different zones: what a run computes of times is the same in all of them, and so are its commands. */

const SCRIPT = fileURLToPath(new URL('./replay-here.ts', import.meta.url));
const NAMES = ['times', 'every-node', 'refund-triage-T-01'];

test.each([
  ['UTC', 0],
  ['America/Los_Angeles', 16],
  ['Asia/Kolkata', 5],
])('recorded runs replay in the time zone %s', async (TZ, hour) => {
  const args = ['--import', 'tsx', SCRIPT, ...NAMES];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TZ } });
  expect(JSON.parse(stdout)).toEqual({ hour, outcomes: NAMES.map((name) => [name, ['null']]) });
});
