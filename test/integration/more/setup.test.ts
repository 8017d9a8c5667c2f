import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatStep, setupSteps, takeSetupStep } from '../../../src/cli/production/setup-steps.ts';
import type { StepCheck } from '../../../src/cli/production/setup-steps.ts';
import { holdfast } from '../../support/servers/command-line.ts';
import type { CommandOutput } from '../../support/servers/command-line.ts';
import { reserveServers } from '../../support/servers/reserve-servers.ts';

/** A namespace and a database without any setup. */
const NAMESPACE = 'set-up';
const DATABASE = 'set_up';

let admin: Client;
let env: Record<string, string>;
beforeAll(async () => {
  const { TEMPORAL_ADDRESS = '', DATABASE_URL = '' } = await reserveServers();
  admin = new Client({ connectionString: DATABASE_URL });
  await admin.connect();
  await admin.query(`create database ${DATABASE}`);
  const database = new URL(DATABASE_URL);
  database.pathname = `/${DATABASE}`;
  env = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: NAMESPACE, DATABASE_URL: database.href };
});
afterAll(async () => await admin.end());

const setUp = async (args: readonly string[] = [], changed: Record<string, string> = {}): Promise<CommandOutput> =>
  await holdfast(['setup', ...args], { ...env, ...changed });

const NAMES = 'TenantId, GraphName, GraphVersion, RunStatus, ThreadId, PendingApprovals';

test('holdfast setup reports what is missing, creates it, and leaves what exists unchanged', async () => {
  const missing = `missing  namespace: ${NAMESPACE}, which keeps histories for 30 days
missing  search attributes: ${NAMES}
missing  tables: 0001-initial
`;
  expect(await setUp(['--dry-run'])).toEqual({ code: 1, stdout: missing, stderr: '' });
  const made = missing.replaceAll('missing', 'made   ').replace('30 days', '3 days');
  expect(await setUp(['--retention', '3d'])).toEqual({ code: 0, stdout: made, stderr: '' });
  const there = made.replaceAll('made   ', 'there  ');
  expect(await setUp()).toEqual({ code: 0, stdout: there, stderr: '' });
  expect(await setUp(['--dry-run'])).toEqual({ code: 0, stdout: there, stderr: '' });
});

test('holdfast setup succeeds when a concurrent setup creates the same things first', async () => {
  const changed = { TEMPORAL_NAMESPACE: `${NAMESPACE}-twice` };
  const said = await Promise.all([setUp([], changed), setUp([], changed)]);
  expect(said.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
});

test('a step of holdfast setup counts as done if another process completes it between check and creation', async () => {
  await setUp();
  const plan = { environment: env, databaseUrl: env['DATABASE_URL'] ?? '', retentionMs: 30 * 24 * 3_600_000 };
  const taken = await Promise.all(
    setupSteps(plan).map(async (step) => {
      const looks = [{ isThere: false, what: 'all' }];
      const check = async (): Promise<StepCheck> => looks.pop() ?? (await step.check());
      return await takeSetupStep({ ...step, check }, { isDry: false, untilMs: Date.now() });
    }),
  );
  expect(taken.map(formatStep)).toEqual([
    'made     namespace: all\n',
    'made     search attributes: all\n',
    'made     tables: all\n',
  ]);
});

test('holdfast setup names unreachable servers with a remedy', async () => {
  const away = { TEMPORAL_ADDRESS: '127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const { code, stdout } = await setUp(['--wait', '0s'], away);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^FAIL {5}namespace: .*\n {9}have it made by who may: .* -n set-up --retention 720h; in Temporal Cloud/,
  );
  expect(stdout).toMatch(/\nFAIL {5}tables: .*ECONNREFUSED.*\n {9}set DATABASE_URL/);
});

test('holdfast setup refuses unusable settings', async () => {
  expect(await setUp([], { DATABASE_URL: '' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_URL is not set'),
  });
  expect(await setUp(['--wait', 'long'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--wait takes a duration'),
  });
});
