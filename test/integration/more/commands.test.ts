import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../../support/readers/api-client.ts';
import { hasStatus } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { createFolder, holdfast } from '../../support/servers/command-line.ts';
import type { Folder, CommandOutput } from '../../support/servers/command-line.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* Commands of `holdfast` against a running stack, whose tokens they find by themselves. */

let stack: TestStack;
let folder: Folder;
let tokens: string;
beforeAll(async () => {
  const config = fileURLToPath(new URL('commands.config.ts', import.meta.url));
  [stack, folder] = await Promise.all([startTestStack(config), createFolder()]);
  tokens = await folder.write('tokens.json', { baseUrl: stack.baseUrl, ...stack.tokens });
});
afterAll(async () => {
  await Promise.all([stack.stop(), folder.remove()]);
});

const at = async (...args: string[]): Promise<CommandOutput> => await holdfast(args, { HOLDFAST_TOKENS_FILE: tokens });

const ASKING = aDefinition({
  name: 'asking',
  channels: { euros: { default: 300 }, log: {} },
  nodes: {
    ask: {
      type: 'approval',
      title: 'Pay {{ state.euros }}?',
      args: { euros: '{{ state.euros }}' },
      policy: { roles: ['approver'] },
      write: { log: '{{ result }}' },
    },
  },
  output: ['log'],
});

/** Runs a graph with an approval. @returns the output, with the id of the run and the command that approves */
async function ask() {
  const said = await at('run', await folder.write('asking.json', ASKING));
  const [, id = ''] = /^Run (\w{26})/.exec(said.stderr) ?? [];
  const [, command = ''] = /^ {2}npx holdfast (approve .*)$/m.exec(said.stderr) ?? [];
  return { ...said, id, command: command.split(' ') };
}

describe('holdfast publish', () => {
  test('holdfast publish publishes JSON files and modules, and keeps the version of unchanged graphs', async () => {
    const json = await folder.write('one.json', { ...ASKING, name: 'one' });
    const module = await folder.write('two.mjs', `export const two = ${JSON.stringify({ ...ASKING, name: 'two' })};`);
    const published = (outcome: string): string =>
      `${json}: one, version 1 (${outcome})\n${module}: two, version 1 (${outcome})\n`;
    expect(await at('publish', json, module)).toMatchObject({ code: 0, stdout: published('new') });
    expect(await at('publish', json, module)).toMatchObject({ code: 0, stdout: published('unchanged') });
  });

  test('holdfast publish prints the issues of refused graphs, and publishes the others', async () => {
    const wrong = await folder.write('wrong.json', { ...ASKING, edges: [{ from: '__start__', to: 'aks' }] });
    const right = await folder.write('right.json', { ...ASKING, name: 'right' });
    const { code, stdout, stderr } = await at('publish', wrong, right);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${right}: right, version 1 (new)\n` });
    expect(stderr).toMatch(/wrong\.json:\d+:\d+: error UNKNOWN_NODE: There is no node "aks"/);
  });
});

describe('a pending approval', () => {
  test('a pending approval is listed by the command line and decided by the printed command', async () => {
    const { id, code, command } = await ask();
    expect(code).toBe(3);
    const { stdout } = await at('approvals', '--run', id);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^\w{26}\.\S+ {2}until \d{4}-.*, for uma, decided by approver$/),
      '  asks     Pay 300?',
      '  args     {"euros":300}',
      `  npx holdfast ${command.join(' ')}`,
      '',
    ]);
    expect(await at(...command, '--reason', 'checked')).toMatchObject({
      code: 0,
      stdout: `${command[1]} is approved\n`,
    });
    const ended = await stack.as('user').untilRun(id, hasStatus('completed'));
    expect(ended).toMatchObject({
      output: { log: { decision: 'approved', by: 'ada', reason: 'checked', args: { euros: 300 } } },
    });
    expect((await at('approvals', '--run', id)).stderr).toBe('No approval is pending.\n');
  });

  test('a pending approval is approved with other arguments, or rejected, by a command of holdfast', async () => {
    const [edited, rejected] = [await ask(), await ask()];
    await at(...edited.command, '--args', '{ "euros": 20 }');
    expect((await at('history', edited.id)).stdout).toContain(
      'ask: ada says approve, it is approved, with {"euros":20}\n',
    );
    expect(await at('reject', rejected.command[1] ?? '', '--reason', 'no')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is rejected'),
    });
    const ended = await stack.as('user').untilRun(edited.id, hasStatus('completed'));
    expect(ended).toMatchObject({ output: { log: { args: { euros: 20 } } } });
  });

  test('a pending approval is not decided by a printed command when its content differs from what was printed', async () => {
    const { id, command } = await ask();
    const [, approval = ''] = command;
    const { code, stderr } = await at('approve', approval, '--digest', '0123456789ab');
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('shows something else by now') });
    expect(await at('approve', approval, '--digest', '01')).toMatchObject({ code: 2 });
    expect((await at('approvals', '--run', id)).stdout).toContain(approval);
  });
});

describe('a node that has failed', () => {
  const BROKEN = aDefinition({
    name: 'broken',
    nodes: { pay: { type: 'tool', tool: 'broken', args: {}, onError: 'intervene', write: { log: '{{ result }}' } } },
    output: ['log'],
  });
  const breakDown = async () => {
    const { code, stderr } = await at('run', await folder.write('broken.json', BROKEN));
    return { code, stderr, id: /^Run (\w{26})/.exec(stderr)?.[1] ?? '' };
  };

  test('a failed node is listed, retried, and skipped with an output by commands of holdfast', async () => {
    const { id, code, stderr } = await breakDown();
    expect(code).toBe(3);
    expect(stderr).toContain(`  npx holdfast retry ${id} --id pay`);
    const { stdout: listed } = await at('interventions');
    expect(listed).toMatch(
      new RegExp(`^${id}  pay has been waiting since \\S+ \\(pay:1\\)\n  error  TOOL_FAILED`, 'm'),
    );
    expect(listed).toMatch(/^ {2}call {3}broken \{\}\n {2}key {4}\S+:pay:1:0:0$/m);
    expect(listed).toContain(`  skip: `);
    const { stdout: explained } = await at('explain', id);
    expect(explained).toMatch(/^ {4}call {3}broken \{\}\n {4}key {4}\S+:pay:1:0:0$/m);
    expect((await at('retry', id)).code).toBe(0);
    await stack.as('user').untilRun(id, hasStatus('waiting'));
    expect((await at('skip', id, '--output', '{ "receipt": "R-1" }')).code).toBe(0);
    await stack.as('user').untilRun(id, hasStatus('completed'));
  });

  test('the command fail ends the retries of a failed node, and the history records each step', async () => {
    const { id } = await breakDown();
    expect((await at('fail', id, '--reason', 'no use')).code).toBe(0);
    await stack.as('user').untilRun(id, hasStatus('failed'));
    const { stdout } = await at('history', id);
    const [heading, first] = stdout.split('\n');
    expect(heading).toMatch(/^ SEQ {2}TIME \(.+\) +STEP {2}EVENT$/);
    expect(first).toMatch(/^ {3}1 {2}\S{10} \S{12} {5}- {2}started by uma$/);
    expect(stdout).toMatch(/pay: broken has failed: TOOL_FAILED .*the shop is closed/);
    expect(stdout).toMatch(/\n +\d+ {2}\S{10} \S{12} +\d+ {2}failed: /);
    const events = (await at('history', id, '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', seq: events.length });
  });
});

test('a published graph runs by its name, and commands explain and read its run', async () => {
  const NAMED = { ...ASKING, name: 'named' };
  await at('publish', await folder.write('named.json', NAMED));
  const { code, stderr } = await at('run', 'named');
  expect(code).toBe(3);
  const id = /^Run (\w{26})/.exec(stderr)?.[1] ?? '';
  const { stdout: explained } = await at('explain', id);
  const [, command = ''] = /^approve: .*\n {2}by approver\n {2}npx holdfast (approve .*)$/m.exec(explained) ?? [];
  expect(explained).toContain(`  npx holdfast cancel ${id}\n`);
  expect((await at(...command.split(' '))).code).toBe(0);
  await stack.as('user').untilRun(id, hasStatus('completed'));
  expect(JSON.parse((await at('state', id)).stdout)).toMatchObject({ euros: 300, log: { decision: 'approved' } });
  expect(await at('calls', id)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'There is no such call.\nThe run: 0 model calls, 0 tool calls, 0 tokens in, 0 out, $0.00\n',
  });
  expect(await at('run', 'nmaed')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('There is no graph "nmaed". Did you mean "named"? There is no such file either'),
  });
});

test('a command sends an event to a waiting run, and another command cancels a run', async () => {
  const WAITING = aDefinition({ name: 'waiting', nodes: { hold: { type: 'wait', event: 'parcel' } } });
  const file = await folder.write('waiting.json', WAITING);
  const start = async (): Promise<string> => /^Run (\w{26})/.exec((await at('run', file)).stderr)?.[1] ?? '';
  const [delivered, canceled] = [await start(), await start()];
  expect((await at('signal', delivered, '--event', 'parcel', '--payload', '1')).code).toBe(0);
  expect((await at('cancel', canceled, '--reason', 'not wanted')).code).toBe(0);
  await stack.as('user').untilRun(delivered, hasStatus('completed'));
  await stack.as('user').untilRun(canceled, hasStatus('canceled'));
  expect((await at('history', canceled)).stdout).toContain('canceled by uma ("not wanted")');
});

describe('holdfast runs', () => {
  const FAILING = aDefinition({
    name: 'failing',
    nodes: { pay: { type: 'tool', tool: 'broken', args: {}, write: { log: '{{ result }}' } } },
  });

  test('holdfast runs lists runs that match all flags, newest first', async () => {
    const file = await folder.write('failing.json', FAILING);
    for (let begun = 0; begun < 2; begun++) expect((await at('run', file)).code).toBe(1);
    const { id } = await ask();
    const { stdout, stderr } = await at('runs', '--status', 'failed,canceled', '--graph', 'failing');
    const [heads, ...rows] = stdout.trimEnd().split('\n');
    expect(heads).toMatch(/^RUN +STATUS +GRAPH +CREATED +REASON$/);
    expect(rows).toEqual(rows.map(() => expect.stringMatching(/^\w{26} {2}failed {2}failing {2}\S+Z {2}TOOL_FAILED /)));
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(rows.toSorted().toReversed());
    expect(stderr).toBe('');
    const waiting = await at('runs', '--status', 'waiting', '--graph', 'asking', '--last', '1');
    expect(waiting.stdout).toMatch(new RegExp(`\n${id} {2}waiting .* {2}approval at ask\n$`));
    expect(JSON.parse((await at('runs', '--last', '1', '--json')).stdout)).toMatchObject([{ id, status: 'waiting' }]);
  });

  test('holdfast runs prints whether more runs exist, and whether none match', async () => {
    const file = await folder.write('failing.json', FAILING);
    for (let begun = 0; begun < 2; begun++) await at('run', file);
    const some = await at('runs', '--graph', 'failing', '--last', '1');
    expect(some).toMatchObject({ code: 0, stderr: expect.stringMatching(/^There are more: add --cursor \S+\n$/) });
    const [, cursor = ''] = /--cursor (\S+)/.exec(some.stderr) ?? [];
    const next = await at('runs', '--graph', 'failing', '--last', '1', '--cursor', cursor);
    const ids = [some, next].map(({ stdout }) => stdout.split('\n')[1]?.slice(0, 26) ?? '');
    expect(ids[0]).toMatch(/^\w{26}$/);
    expect(ids.toSorted().toReversed()).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
    expect(await at('runs', '--graph', 'none')).toEqual({ code: 0, stdout: '', stderr: 'There is no such run.\n' });
    expect(await at('runs', '--before', '2026-01-01T00:00:00Z')).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('holdfast token', () => {
  test('holdfast token signs a token that the stack accepts', async () => {
    const { code, stdout } = await at('token', 'approver', '--data-dir', stack.dataDir);
    expect(code).toBe(0);
    expect(await at('approvals', '--url', stack.baseUrl, '--token', stdout.trim())).toMatchObject({ code: 0 });
  });

  test('holdfast token signs a token for a role that the configuration defines', async () => {
    const config = fileURLToPath(new URL('commands.config.ts', import.meta.url));
    const { code, stdout } = await at('token', 'reader', '--data-dir', stack.dataDir, '--config', config);
    expect(code).toBe(0);
    const reader = createApiClient(stack.baseUrl, stdout.trim());
    expect((await reader.get('/api/runs')).status).toBe(200);
    expect((await reader.post('/api/runs', { graph: 'asking' })).status).toBe(403);
  });

  test.each([
    [['aprover'], 'There is no caller "aprover". Did you mean "approver"?'],
    [['approver', '--data-dir', 'none'], 'none/issuer-key.json is not there'],
  ])('holdfast token refuses the arguments %j with a hint', async (args, message) => {
    const { code, stderr } = await at('token', '--data-dir', stack.dataDir, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});

test('holdfast logs prints the last lines of a log, from a given level on', async () => {
  const file = join(stack.dataDir, 'of-a-day.log');
  const lines = Object.entries({ begins: 30, 'a call failed': 40, ends: 30 });
  await writeFile(file, lines.map(([msg, level]) => `${JSON.stringify({ level, time: 0, msg })}\n`).join(''));
  const said = async (...flags: string[]) => (await at('logs', '--log-file', file, ...flags)).stdout;
  expect(await said('--level', 'warn')).toBe('1970-01-01T00:00:00.000Z WARN  a call failed\n');
  expect(await said('--last', '1')).toBe('1970-01-01T00:00:00.000Z INFO  ends\n');
});

describe('holdfast doctor', () => {
  const config = fileURLToPath(new URL('commands.config.ts', import.meta.url));
  const examine = async (env: Record<string, string>, flags = ['--config', config]): Promise<CommandOutput> =>
    await holdfast(['doctor', ...flags], {
      TEMPORAL_ADDRESS: stack.temporalAddress,
      TEMPORAL_NAMESPACE: stack.namespace,
      DATABASE_URL: stack.databaseUrl ?? '',
      ...env,
    });

  test('holdfast doctor prints what is present, and what is missing with the command that creates it', async () => {
    const { code, stdout } = await examine({ HOLDFAST_CURSOR_SECRET: 'x'.repeat(40) });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok {4}Node: \d+/);
    expect(stdout).toMatch(/ok {4}configuration: \S+: 1 tool, 0 models, roles user, approver, admin, reader\n/);
    expect(stdout).toMatch(/ok {4}database: PostgreSQL \d+/);
    expect(stdout).toContain('ok    memory: found by its words: memory.embeddings is not set\n');
    expect(stdout).toMatch(/FAIL {2}token keys: The configuration has no auth section\n {6}set auth/);
    expect(stdout).toMatch(/ok {4}tables: as 0001-initial left them\n/);
    expect(stdout).toContain('ok    unknown outcomes: none\n');
    expect(stdout).toMatch(new RegExp(`ok {4}Temporal: 1\\.\\d+\\.\\S+ at ${stack.temporalAddress}\n`));
    expect(stdout).toContain(`ok    namespace: ${stack.namespace}, which keeps histories for a day\n`);
    expect(stdout).toMatch(/ok {4}search attributes: TenantId, /);
    expect(stdout).toContain('ok    retention: runs stay\n');
    expect(stdout).toContain('ok    task queues: holdfast (workers: 1)\n');
  });

  test('holdfast doctor names an unreachable server and a missing namespace', async () => {
    const away = await examine({ DATABASE_URL: 'postgres://127.0.0.1:1/none', TEMPORAL_NAMESPACE: 'none' });
    expect(away.stdout).toMatch(/FAIL {2}database: .*ECONNREFUSED.*\n {6}set DATABASE_URL/);
    expect(away.stdout).toMatch(/FAIL {2}tables: .*ECONNREFUSED/);
    expect(away.stdout).toContain('FAIL  namespace: Namespace none is not found\n');
    expect(away.stdout).toContain('FAIL  cursor secret: HOLDFAST_CURSOR_SECRET is not set\n');
  });

  test('holdfast doctor names runs that are ahead of their histories, and task queues without workers', async () => {
    const slow = {
      name: 'slow',
      description: 'Slow.',
      method: 'GET',
      url: 'http://127.0.0.1:1/',
      effect: 'idempotent',
      taskQueue: 'slow',
    };
    const tools = [{ ...slow, parameters: { type: 'object' } }];
    const config = await folder.write('short.json', { retention: { runs: '2h' }, tools });
    const { stdout } = await examine({}, ['--config', config]);
    expect(stdout).toContain(
      'FAIL  retention: Runs are forgotten after 2h, and the namespace keeps their histories for a day\n      raise retention.runs',
    );
    expect(stdout).toContain(
      'FAIL  task queues: No worker has asked lately for the tasks of slow\n      start a worker',
    );
  });
});
