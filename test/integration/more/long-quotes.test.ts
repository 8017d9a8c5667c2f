import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/graph/values/json.ts';
import {
  aGraphOf,
  anAskingGraph,
  eventsOf,
  hasStatus,
  PATIENTLY,
  startAsking,
} from '../../support/readers/api-runs.ts';
import { listAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

/*
 * Refused input is quoted in part only: responses, events and queries stay short, whatever an untrusted client sends.
 */

let stack: TestStack;
let connection: Connection;
let asking: string;
beforeAll(async () => {
  stack = await startTestStack({});
  connection = await Connection.connect({ address: stack.temporalAddress });
  ({ runId: asking } = await startAsking(stack.as('user')));
});
afterAll(async () => {
  await connection.close();
  await stack.stop();
});

const LONG = 'x'.repeat(1_000_000);
const MANY = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`name-${at}`, 1]));
const graph = anAskingGraph();
const run = (path: string): string => `/api/runs/${asking}${path}`;

const DOORS: readonly [string, () => string, unknown][] = [
  ['a graph reference with a long name', () => '/api/runs', { graph: LONG }],
  ['a long unknown field', () => '/api/runs', { graph, [LONG]: 1 }],
  ['many unknown fields', () => '/api/runs', { graph, ...MANY }],
  ['an unknown input', () => '/api/runs', { graph, input: { [LONG]: 1 } }],
  ['many unknown inputs', () => '/api/runs', { graph, input: MANY }],
  ['a start at an unknown node', () => '/api/runs', { graph, startAt: LONG }],
  ['a graph with a long node id', () => '/api/graphs/validate', { ...graph, nodes: { [LONG]: { type: 'no' } } }],
  ['a graph with a long node type', () => '/api/graphs', { ...graph, nodes: { a: { type: LONG } } }],
  [
    'a graph with a long expression',
    () => '/api/graphs',
    aGraphOf({ type: 'set', write: { answer: `{{ ${LONG} }}` } }),
  ],
  ['a graph with many unknown fields', () => '/api/graphs', { ...graph, nodes: { a: { type: 'set', ...MANY } } }],
  ['a long approval id', () => run('/approve'), { approvalId: LONG }],
  ['a replan to an unknown node', () => run('/replan'), { node: LONG }],
  ['a resume with an unknown channel', () => run('/resume'), { values: { [LONG]: 1 } }],
  ['a resume with many unknown channels', () => run('/resume'), { values: MANY }],
  ['a skip of an unknown intervention', () => run('/skip'), { id: LONG, output: null }],
  ['a fork at an unknown checkpoint', () => run('/fork'), { checkpoint: LONG }],
];

test.each(DOORS)('the refusal of %s quotes it in less than 300 kB', async (_what, path, body) => {
  const { status, body: answer } = await stack.as('user').post(path(), body);
  expect(status).toBeLessThan(500);
  expect(JSON.stringify(answer).length).toBeLessThan(300_000);
  expect(JSON.stringify(answer)).not.toContain('x'.repeat(2_000));
});

test('an edit with an unknown channel is refused with a short error', async () => {
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const body = JSON.stringify({ values: { [LONG]: 1 } });
  const edited = await stack.as('user').send(run('/state'), { method: 'PATCH', headers, body });
  expect(edited.status).toBe(422);
  expect(JSON.stringify(edited.body).length).toBeLessThan(5_000);
});

describe('a signal by Temporal', () => {
  const PAYLOADS: readonly [string, string, JsonObject][] = [
    ['a field with a long name', 'pause', { [LONG]: 1 }],
    ['many unknown fields', 'pause', MANY],
    ['a long approval id', 'approve', { approvalId: LONG }],
    ['a long reason', 'cancel', { reason: LONG }],
    ['a long signal id', 'resume', { signalId: LONG }],
    ['a long node id', 'retry', { node: LONG }],
    ['a long event name', 'event', { event: LONG }],
    ['unknown channels', 'edit', { values: { [LONG]: 1 } }],
    ['a long principal', 'pause', { by: { sub: LONG, roles: [] } }],
  ];

  test.each(PAYLOADS)('a Temporal signal with %s is ignored with a short event', async (_what, name, payload) => {
    const { runId } = await startAsking(stack.as('user'));
    const handle = new Client({ connection, namespace: stack.namespace }).workflow.getHandle(`run:demo:${runId}`);
    await handle.signal(name, { signalId: 'd1', ...payload });
    const ignored = await vi.waitUntil(async () => {
      const events = await eventsOf(stack.as('user'), runId, 'signal.ignored');
      return events.length > 0 && events;
    }, PATIENTLY);
    expect(JSON.stringify(ignored).length).toBeLessThan(2_000);
    for (const query of ['status', 'history', 'approvals'])
      expect(JSON.stringify(await handle.query(query)).length).toBeLessThan(5_000);
    expect(JSON.stringify(await handle.query('signalResult', 'd1')).length).toBeLessThan(20_000);
    await stack.as('user').post(`/api/runs/${runId}/cancel`, {});
    expect(listAt(await stack.as('user').untilRun(runId, hasStatus('canceled')), '/waitingFor')).toEqual([]);
  });
});
