import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasStatus } from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { createFolder, holdfast } from '../../support/servers/command-line.ts';
import type { Folder, CommandOutput } from '../../support/servers/command-line.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/* Commands that pause, redirect and fork runs, and commands on approvals that do not decide. */

let stack: TestStack;
let folder: Folder;
let tokens: string;
beforeAll(async () => {
  [stack, folder] = await Promise.all([startTestStack({}), createFolder()]);
  tokens = await folder.write('tokens.json', { baseUrl: stack.baseUrl, ...stack.tokens });
});
afterAll(async () => {
  await Promise.all([stack.stop(), folder.remove()]);
});

const at = async (...args: string[]): Promise<CommandOutput> => await holdfast(args, { HOLDFAST_TOKENS_FILE: tokens });

const WAITING = aDefinition({
  name: 'waiting',
  channels: { name: { default: 'nobody' }, log: {} },
  nodes: {
    hold: { type: 'wait', event: 'parcel' },
    greet: { type: 'set', write: { log: 'Hello {{ state.name }}' } },
  },
  output: ['log'],
});

async function start(definition: object): Promise<string> {
  const { stderr } = await at('run', await folder.write('graph.json', definition));
  return /^Run (\w{26})/.exec(stderr)?.[1] ?? '';
}

describe('a run', () => {
  test('commands pause a run with a reason, and resume it with edited values', async () => {
    const id = await start(WAITING);
    expect(await at('pause', id, '--reason', 'the shop is closed')).toMatchObject({
      code: 0,
      stdout: `${id} is paused\n`,
    });
    expect((await at('explain', id)).stdout).toContain('paused by uma: the shop is closed');
    expect(await at('resume', id, '--checkpoint', `${id}.c99`)).toMatchObject({ code: 6 });
    const { code, stdout } = await at('resume', id, '--values', '{ "name": "Ada" }', '--json');
    expect({ code, run: JSON.parse(stdout) }).toMatchObject({ code: 0, run: { id, status: 'waiting' } });
    await at('signal', id, '--event', 'parcel');
    const ended = await stack.as('user').untilRun(id, hasStatus('completed'));
    expect(ended).toMatchObject({ output: { log: 'Hello Ada' } });
  });

  test('a command retries a run that failed at its limits with higher ones', async () => {
    const nodes = { one: { type: 'set', write: { log: 'one' } }, two: { type: 'set', write: { log: 'two' } } } as const;
    const edges = [
      { from: '__start__', to: 'one' },
      { from: 'one', to: 'two' },
    ] as const;
    const graph = await folder.write('graph.json', aDefinition({ channels: { log: {} }, nodes, edges }));
    const limited = await at('run', graph, '--limits', '{ "maxSteps": 1 }');
    expect(limited).toMatchObject({ code: 1, stderr: expect.stringContaining('GRAPH_RECURSION_LIMIT') });
    const id = /^Run (\w{26})/.exec(limited.stderr)?.[1] ?? '';
    expect(await at('retry', id, '--limits', '5')).toMatchObject({ code: 2 });
    expect(await at('retry', id, '--limits', '{ "maxSteps": 2 }')).toMatchObject({ code: 0 });
    const ended = await stack.as('user').untilRun(id, hasStatus('completed'));
    expect(ended).toMatchObject({ limits: { maxSteps: 2 }, output: { log: 'two' } });
  });

  test('a command continues a run at another node with values from a file', async () => {
    const id = await start(WAITING);
    const values = await folder.write('values.json', { name: 'Bob' });
    expect(await at('replan', id, 'nowhere')).toMatchObject({ code: 6, stderr: expect.stringContaining('"nowhere"') });
    expect((await at('replan', id, 'greet', '--values', `@${values}`)).code).toBe(0);
    const ended = await stack.as('user').untilRun(id, hasStatus('completed'));
    expect(ended).toMatchObject({ output: { log: 'Hello Bob' } });
  });

  test('a command forks a run from a checkpoint with other values and another graph', async () => {
    const id = await start(WAITING);
    const { stdout } = await at('checkpoints', id);
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^CHECKPOINT +STEP +SOURCE +NEXT +AT$/);
    expect(rows.at(-1)).toMatch(new RegExp(`^${id}\\.\\S+ +-1 +input +hold +\\d{4}-`));
    const checkpoint = rows.at(-1)?.split(' ')[0] ?? '';
    const other = await folder.write('other.json', {
      ...WAITING,
      nodes: { ...WAITING.nodes, hold: { type: 'set', write: { log: 'no wait' } } },
    });
    const forked = await at(
      'fork',
      id,
      '--checkpoint',
      checkpoint,
      '--values',
      '{ "name": "Eve" }',
      '--graph',
      `@${other}`,
      '--json',
    );
    expect(forked.code).toBe(0);
    const fork = JSON.parse(forked.stdout);
    expect(fork).toMatchObject({ parentRunId: id });
    const ended = await stack.as('user').untilRun(fork.id, hasStatus('completed'));
    expect(ended).toMatchObject({ output: { log: 'Hello Eve' } });
  });

  test.each([
    [['replan', 'R'], 'replan takes the id of one run and the name of one node'],
    [['resume', 'R', '--values', '[]'], '--values takes a JSON object'],
    [['fork', 'R'], 'Where does it begin?'],
    [['fork', 'R', '--checkpoint', 'R.c1', '--graph', '@missing.json'], "missing.json can't be read"],
    [['reassign', 'R.a1'], 'Who decides now?'],
  ])('a command with the wrong arguments %j sends no request', async (args, message) => {
    expect(await at(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('an approval', () => {
  const ASKING = aDefinition({
    name: 'asking',
    nodes: { ask: { type: 'approval', title: 'Sure?', policy: { roles: ['approver'] }, write: 'log' } },
  });

  test('commands comment on an approval, send a reminder once per minimum interval, and reassign the approval', async () => {
    const id = `${await start(ASKING)}.a1`;
    expect(await at('comment', id, 'Which carrier was it?')).toMatchObject({
      code: 0,
      stdout: `${id}: comment added\n`,
    });
    expect(await at('remind', id)).toMatchObject({ code: 0, stdout: `${id} was reminded of\n` });
    expect(await at('remind', id)).toMatchObject({ code: 6, stderr: expect.stringContaining('429 TOO_SOON') });
    const given = await at('reassign', id, '--users', 'bob, eve');
    expect(given).toMatchObject({ code: 0, stdout: `${id} is decided by bob or eve\n` });
    const [approval] = JSON.parse((await at('approvals', '--json')).stdout);
    expect(approval).toMatchObject({ id, comments: [{ by: 'ada', text: 'Which carrier was it?' }] });
    expect(await at('approve', id)).toMatchObject({ code: 6, stderr: expect.stringContaining('403') });
  });
});
