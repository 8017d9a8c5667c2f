import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { isJsonObject } from '../../src/graph/values/json.ts';
import { playRecording } from '../../src/testing/index.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import { createFolder, holdfast } from '../support/servers/command-line.ts';
import type { Folder, CommandOutput } from '../support/servers/command-line.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

/* A run of a stack becomes a test that needs no stack. */

let stack: TestStack;
let folder: Folder;
let tokens: string;
beforeAll(async () => {
  const config = fileURLToPath(new URL('promote.config.ts', import.meta.url));
  [stack, folder] = await Promise.all([startTestStack(config), createFolder()]);
  tokens = await folder.write('tokens.json', { baseUrl: stack.baseUrl, ...stack.tokens });
});
afterAll(async () => {
  await Promise.all([stack.stop(), folder.remove()]);
});

/** An agent that refunds after an approval. */
const REFUND: GraphDefinition = {
  name: 'refund-agent',
  channels: { order: {}, answer: {} },
  input: ['order'],
  output: ['answer'],
  nodes: {
    work: {
      type: 'agent',
      prompt: 'Refund {{ state.order }}',
      tools: ['refund'],
      write: { answer: '{{ result.text }}' },
    },
  },
  edges: [
    { from: '__start__', to: 'work' },
    { from: 'work', to: '__end__' },
  ],
};

/** A graph with a redacted customer. @param route an expression that chooses the path of the run */
const hiding = (route: string): GraphDefinition => ({
  name: 'hiding',
  channels: { order: {}, customer: { redact: true }, group: {} },
  input: ['order'],
  nodes: {
    find: { type: 'tool', tool: 'find_customer', args: { order: '{{ state.order }}' }, write: 'customer' },
    note: { type: 'set', write: { group: 'known' } },
    other: { type: 'set', write: { group: 'other' } },
  },
  edges: [
    { from: '__start__', to: 'find' },
    { from: 'find', branches: [{ when: route, to: 'note' }, { to: 'other' }] },
  ],
});

async function start(graph: GraphDefinition): Promise<string> {
  const { body } = await stack.as('user').post('/api/runs', { graph, input: { order: 'A-1' } });
  return textAt(body, '/id');
}

async function refunded(): Promise<string> {
  const id = await start(REFUND);
  await stack.as('user').untilRun(id, hasStatus('waiting'));
  await stack.as('approver').post(`/api/runs/${id}/approve`, { args: { order: 'A-1', euros: 25 } });
  await stack.as('user').untilRun(id, hasStatus('completed'));
  return id;
}

async function ended(graph: GraphDefinition): Promise<string> {
  const id = await start(graph);
  await stack.as('user').untilRun(id, hasStatus('completed'));
  return id;
}

const promote = async (id: string, file: string, ...flags: string[]): Promise<CommandOutput> =>
  await holdfast(['promote', id, '--to', folder.path(file), '--tokens-file', tokens, ...flags]);

const evaluate = async (file: string, ...flags: string[]): Promise<CommandOutput> =>
  await holdfast(['eval', folder.path(file), '--no-config', ...flags]);

const written = async (file: string): Promise<string> => await readFile(folder.path(file), 'utf8');

describe('a run with a model, a tool and an approval', () => {
  let id: string;
  beforeAll(async () => {
    id = await refunded();
  });

  test('a promoted run with a model, a tool and an approval becomes a test that passes without a server', async () => {
    expect(await promote(id, 'refund.json')).toMatchObject({ code: 0, stderr: expect.stringContaining('completed') });
    const { code, stdout } = await evaluate('refund.json');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/refund-agent {2}pass\n1 of 1 passed\n$/),
    });
  });

  test('a promoted run becomes a test that a test suite of the project can run', async () => {
    await promote(id, 'refund.json');
    const played = playRecording(JSON.parse(await written('refund.json')));
    expect(played).toMatchObject({ status: 'completed', path: ['work'], divergence: null, changed: [] });
    expect(played.output).toEqual({
      answer: 'Done: 25 euros paid\n(A person changed the arguments to {"euros":25,"order":"A-1"})',
    });
  });

  test('a test promoted from a run reports where another graph takes another path', async () => {
    await promote(id, 'refund.json');
    const edges = [
      { from: '__start__', to: 'refund' },
      { from: 'refund', to: '__end__' },
    ];
    const tool = { type: 'tool', tool: 'refund', args: { euros: 30 }, write: { answer: '{{ result }}' } } as const;
    await folder.write('changed.json', { ...REFUND, nodes: { refund: tool }, edges });
    const { code, stdout } = await evaluate('refund.json', '--graph', folder.path('changed.json'));
    expect(code).toBe(1);
    expect(stdout).toContain('/next/0 is "refund", expected "work"');
    expect(stdout).toContain('status is "waiting", expected "completed"');
    expect(stdout).toContain('the recorded decision "approve" of ada at work was not played: no approval waits there');
  });

  test('the decision of a promoted run is played against a graph with a node more before it', async () => {
    await promote(id, 'refund.json');
    const edges = [
      { from: '__start__', to: 'note' },
      { from: 'note', to: 'work' },
    ];
    const nodes = { note: { type: 'set', write: {} }, ...REFUND.nodes };
    await folder.write('longer.json', { ...REFUND, nodes, edges });
    const { stdout } = await evaluate('refund.json', '--graph', folder.path('longer.json'), '--outcome');
    expect(stdout.split('\n').slice(1)).toEqual(['    path/0 is "note", expected "work"', '0 of 1 passed', '']);
  });

  test('a test promoted from a run passes by outcome for a graph that only emits more events', async () => {
    await promote(id, 'refund.json');
    await folder.write('more.json', {
      ...REFUND,
      channels: { ...REFUND.channels, extra: { default: 1 } },
      nodes: {
        work: {
          type: 'agent',
          prompt: 'Refund {{ state.order }}',
          tools: ['refund'],
          write: { answer: '{{ result.text }}', extra: 2 },
        },
      },
    });
    const flags = ['--graph', folder.path('more.json')];
    expect((await evaluate('refund.json', ...flags)).stdout).toContain('/update/extra is 2, expected missing');
    expect((await evaluate('refund.json', ...flags, '--outcome')).code).toBe(0);
  });

  test('a run can not be promoted to a test before it has ended', async () => {
    const waits = await start(REFUND);
    const { code, stderr } = await promote(waits, 'never.json');
    expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('409 NOT_ALLOWED_NOW') });
  });

  test('a run can not be promoted to a test by callers without payload:read', async () => {
    expect(await promote(id, 'never.json', '--as', 'user')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('403'),
    });
  });
});

describe('a run with redacted values', () => {
  test('a promoted run with redacted values becomes a test without these values that takes the same path', async () => {
    const id = await ended(hiding('state.order == "A-1"'));
    expect((await promote(id, 'hidden.json')).code).toBe(0);
    const text = await written('hidden.json');
    expect(text).not.toMatch(/Ada|47114711|DE00/);
    expect(text).toContain('"name": "[redacted]"');
    expect((await evaluate('hidden.json')).code).toBe(0);
  });

  test('a promoted run whose path depends on redacted values becomes a test only with these values', async () => {
    const id = await ended(hiding('state.customer.age > 30'));
    const refused = await promote(id, 'way.json');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('The way of the run depends on values that it hides: they part at event');
    expect((await promote(id, 'way.json', '--with-payloads')).code).toBe(0);
    expect(await written('way.json')).toContain('Ada Lovelace');
    expect((await evaluate('way.json')).code).toBe(0);
  });
});

test('holdfast eval runs a data set live and reports the pass rate', async () => {
  await folder.write('graph.json', hiding('state.order == "A-1"'));
  const line = (order: string): string =>
    JSON.stringify({ name: order, input: { order }, expect: { path: ['find', 'note'] } });
  await folder.write('orders.jsonl', `${line('A-1')}\n${line('B-2')}\n`);
  const flags = ['--graph', folder.path('graph.json'), '--live', '--trials', '2', '--tokens-file', tokens];
  const live = async (...more: string[]): Promise<CommandOutput> =>
    await holdfast(['eval', folder.path('orders.jsonl'), ...flags, ...more]);
  const { code, stdout } = await live();
  expect(code).toBe(1);
  expect(stdout).toMatch(/A-1 {2}pass {2}2 of 2, 100% \[34%, 100%\]\n/);
  expect(stdout).toMatch(/B-2 {2}FAIL {2}0 of 2, 0% \[0%, 66%\]\n {4}trial 1: path\/1 is "other", expected "note"\n/);
  expect((await live('--min-rate', '0')).code).toBe(0);
});

test('a live evaluation asks judges in runs of their own, and compares two versions with cost and latency', async () => {
  await folder.write('graph.json', hiding('state.order == "A-1"'));
  await folder.write('never.json', hiding('false'));
  const judge = { name: 'way', model: 'judge', prompt: 'Did it go the way of known customers?', atLeast: 4 };
  await folder.write('judged.jsonl', JSON.stringify({ name: 'known', input: { order: 'A-1' }, expect: { judge } }));
  const flags = ['--live', '--trials', '2', '--tokens-file', tokens];
  const graphs = ['--graph', folder.path('graph.json'), '--against', folder.path('never.json')];
  const { code, stdout } = await holdfast(['eval', folder.path('judged.jsonl'), ...flags, ...graphs]);
  const lines = stdout.replaceAll(folder.path(''), '').split('\n');
  expect(code).toBe(0);
  expect(lines).toEqual([
    '/judged.jsonl  known  pass  2 of 2, 100% [34%, 100%]',
    '    the judge "way": 5.00 of 1 to 5',
    '1 of 1 passed',
    expect.stringMatching(/^the runs took 0 USD, 0 tokens, \d+\.\d\d s \(median\)$/),
    'the judges took 0.002 USD, 22 tokens',
    '/graph.json against /never.json: 1 better, 0 worse, 0 the same; better in 1 of 1, 100% [21%, 100%] of those that differ',
    '    better: known',
    expect.stringMatching(/^ {4}\/graph\.json: 1 of 1 passed, 0 USD, 0 tokens, /),
    expect.stringMatching(/^ {4}\/never\.json: 0 of 1 passed, 0 USD, 0 tokens, /),
    '',
  ]);
  const { body } = await stack.as('user').get('/api/runs?graph=judge');
  expect(isJsonObject(body) && body['items']).toHaveLength(4);
});

test('holdfast eval replays the recording of a run without a server', async () => {
  const { status, body } = await stack.as('admin').get(`/api/runs/${await refunded()}/recording`);
  const keys = isJsonObject(body) ? Object.keys(body).toSorted() : [];
  expect({ status, keys }).toEqual({
    status: 200,
    keys: ['answers', 'begin', 'catalog', 'definition', 'events', 'identity', 'occurrences', 'redaction'],
  });
});
