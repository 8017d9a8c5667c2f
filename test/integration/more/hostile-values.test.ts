import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/graph/values/json.ts';
import type { ApiAnswer } from '../../support/readers/api-client.ts';
import {
  aGraphOf,
  anAskingGraph,
  untilEndedOrWaiting,
  eventsOf,
  hasStatus,
  startAsking,
  startRun,
} from '../../support/readers/api-runs.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { aToolOf } from '../../support/doubles/configured-tool.ts';
import { at, textAt } from '../../support/readers/json-at.ts';
import { answer, json, startLoopbackServer } from '../../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../../support/doubles/loopback-server.ts';
import { aProblem, issuePathsOf } from '../../support/readers/problems.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let server: LoopbackServer;
let inside: LoopbackServer;
let stack: TestStack;
beforeAll(async () => {
  [server, inside] = await Promise.all([startLoopbackServer(), startLoopbackServer()]);
  const hidden = SPELLINGS.map((host) =>
    aToolOf({ url: `http://${host}:${inside.port}` }, { name: `at-${toName(host)}`, retry: { maxAttempts: 3 } }),
  );
  stack = await startTestStack({ tools: [aToolOf(server), ...hidden], http: { allow: [server.address] } });
});
afterEach(() => server.forget());
afterAll(async () => {
  await stack.stop();
  await Promise.all([server.stop(), inside.stop()]);
});

/** Spellings of the address of this machine. */
const SPELLINGS = [
  '127.0.0.1',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.1]',
];
const toName = (host: string): string => host.replaceAll(/[^\w]/g, '_');

/** The body is JSON text, because an object literal would lose the tested keys. */
async function start(body: string): Promise<ApiAnswer> {
  const headers = { 'content-type': 'application/json', prefer: 'wait=15' };
  const user = stack.as('user');
  return await untilEndedOrWaiting(user, await user.send('/api/runs', { method: 'POST', headers, body }));
}

/** A graph that copies its input from `given` to `answer`. */
const handing = aGraphOf({ type: 'set', write: { answer: '{{ state.given }}' } });

const ODD_TEXTS: readonly [string, string][] = [
  ['a NUL', String.raw`"a\u0000b"`],
  ['a lone high surrogate', String.raw`"a\ud800b"`],
  ['a lone low surrogate', String.raw`"\udc00"`],
  ['control characters', String.raw`"\u0001\u001f\u007f\u2028\r\n"`],
  ['letters beyond the first plane', '"😀𝒳"'],
  ['something like an expression', '"{{ 1 + 1 }} {{{{"'],
];
const ODD_OBJECTS: readonly [string, string][] = [
  ['a NUL in a key', String.raw`{"\u0000":1}`],
  ['a lone surrogate in a key', String.raw`{"\ud800":1}`],
  ['an empty key', '{"":1}'],
  ['the key __proto__', '{"__proto__":{"polluted":1}}'],
  ['the key constructor', '{"constructor":{"prototype":{"polluted":1}}}'],
  ['keys of every object', '{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4}'],
  ['keys in numeric order', '{"b":1,"a":2,"2":3,"1":4}'],
];

test.each([
  ['NUL', 'no\0such', 'no\uFFFDsuch'],
  ['900 characters', 'x'.repeat(900), 'x'.repeat(100)],
  ['a line break', 'no\nsuch', 'no\uFFFDsuch'],
])('a Temporal signal whose name contains %s is recorded, and the run continues', async (_what, name, recorded) => {
  const { runId: id } = await startAsking(stack.as('user'));
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const client = new Client({ connection, namespace: stack.namespace });
    await client.workflow.getHandle(`run:demo:${id}`).signal(name);
    const approver = stack.as('approver');
    await expect.poll(() => eventsOf(approver, id, 'signal.ignored')).toMatchObject([{ signal: recorded }]);
    await stack.as('user').post(`/api/runs/${id}/cancel`, {});
    await stack.as('user').untilRun(id, hasStatus('canceled'));
  } finally {
    await connection.close();
  }
});

describe('input', () => {
  test.each([...ODD_TEXTS, ...ODD_OBJECTS])(
    'the input of a run with %s is kept unchanged in the state, the output and the history',
    async (_what, given) => {
      const { body } = await start(`{"graph":${JSON.stringify(handing)},"input":{"given":${given}}}`);
      const expected = JSON.stringify(JSON.parse(given));
      expect(body).toMatchObject({ status: 'completed' });
      const { body: state } = await stack.as('user').get(`/api/runs/${textAt(body, '/id')}/state`);
      const [completed = null] = await eventsOf(stack.as('user'), textAt(body, '/id'), 'run.completed');
      const places: readonly (readonly [Json, string])[] = [
        [body, '/input/given'],
        [body, '/output/answer'],
        [state, '/values/answer'],
        [completed, '/output/answer'],
      ];
      expect(places.map(([value, pointer]) => JSON.stringify(at(value, pointer)))).toEqual(places.map(() => expected));
    },
  );

  test('input for a channel named __proto__ is refused', async () => {
    const refused = await start(`{"graph":${JSON.stringify(handing)},"input":{"__proto__":1}}`);
    expect(refused).toMatchObject({ status: 422 });
    expect(issuePathsOf(refused)).toEqual(['/input/__proto__']);
  });

  test('input with __proto__ pollutes no prototype', async () => {
    await start(`{"graph":${JSON.stringify(handing)},"input":{"given":{"__proto__":{"polluted":1}}}}`);
    expect('polluted' in {}).toBe(false);
  });
});

test.each([...ODD_OBJECTS])('metadata of a run with %s is kept unchanged', async (_what, metadata) => {
  const { body } = await start(`{"graph":${JSON.stringify(handing)},"metadata":${metadata}}`);
  expect(JSON.stringify(at(body, '/metadata'))).toBe(JSON.stringify(JSON.parse(metadata)));
});

describe('a definition', () => {
  test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
    'a definition may have a channel and a node named "%s"',
    async (name) => {
      const nodes = { [name]: { type: 'set', write: { [name]: `{{ state.${name} + 1 }}` } } } as const;
      const run = await startRun(stack.as('user'), aDefinition({ channels: { [name]: {} }, nodes }), { [name]: 1 });
      expect(run).toMatchObject({ status: 'completed', output: { [name]: 2 } });
    },
  );

  test('a definition with a field __proto__ is refused at any depth', async () => {
    const body = JSON.stringify(aDefinition())
      .replaceAll('{"type":', '{"__proto__":{"x":1},"type":')
      .replace(/^\{/, '{"__proto__":{"x":1},');
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(issuePathsOf(await stack.as('user').send('/api/graphs', init)).toSorted()).toEqual([
      '/__proto__',
      '/nodes/a/__proto__',
    ]);
  });
});

describe('a text of a person', () => {
  const reason = 'a\u0000b\uD800';

  test('the reason of an approval decision may contain any characters', async () => {
    const run = await startAsking(stack.as('user'), { title: '{{ "a\\u0000" }}' });
    const said = { reason, values: { text: reason }, args: [reason] };
    await stack.as('approver').post(`/api/approvals/${run.approvalId}/decision`, { decision: 'approve', ...said });
    const ended = await stack.as('user').untilRun(run.runId, hasStatus('completed'));
    expect(at(ended, '/output/answer')).toMatchObject(said);
  });

  test('the reason of a cancellation may contain any characters', async () => {
    const { runId } = await startAsking(stack.as('user'));
    await stack.as('user').post(`/api/runs/${runId}/cancel`, { reason });
    await stack.as('user').untilRun(runId, hasStatus('canceled'));
    expect(await eventsOf(stack.as('user'), runId, 'run.canceled')).toMatchObject([{ reason }]);
  });

  test('the reason of the control "fail" may contain any characters', async () => {
    server.answers(answer(404));
    const run = await startRun(stack.as('user'), aGraphOf({ type: 'tool', tool: 'work', onError: 'intervene' }));
    await stack.as('user').post(`/api/runs/${textAt(run, '/id')}/fail`, { reason });
    const failed = await stack.as('user').untilRun(textAt(run, '/id'), hasStatus('failed'));
    expect(textAt(failed, '/error/message')).toContain('a\u0000b');
  });
});

describe('the answer of a tool', () => {
  const working = aGraphOf({ type: 'tool', tool: 'work' });

  test.each([...ODD_TEXTS, ...ODD_OBJECTS])('a tool result with %s is kept unchanged', async (_what, text) => {
    server.answers(answer(200, { 'content-type': 'application/json' }, text));
    const run = await startRun(stack.as('user'), working);
    expect(JSON.stringify(at(run, '/output/answer'))).toBe(JSON.stringify(JSON.parse(text)));
  });

  test.each([499, 500])(
    'the error of a tool is truncated after %i characters without breaking a surrogate pair',
    async (length) => {
      server.answers(answer(400, {}, `${'x'.repeat(length)}${'😀'.repeat(9)}`));
      const run = await startRun(stack.as('user'), working);
      expect(run).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED' } });
      expect(textAt(run, '/error/message')).not.toMatch(/\p{Surrogate}/u);
    },
  );
});

describe('a tool at a private address', () => {
  test.each(SPELLINGS)('a tool at the private address %s is blocked without a request to its server', async (host) => {
    const run = await startRun(stack.as('user'), aGraphOf({ type: 'tool', tool: `at-${toName(host)}` }));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'BLOCKED_URL', node: 'only', attempts: 1 } });
    expect(inside.connections).toBe(0);
  });

  test('a tool at a private address is not reached by a redirect either', async () => {
    server.answers(answer(307, { location: `${inside.url}/work` }));
    expect(await startRun(stack.as('user'), aGraphOf({ type: 'tool', tool: 'work' }))).toMatchObject({
      status: 'failed',
    });
    expect(inside.connections).toBe(0);
  });

  test('a tool at a private address is reached when http.allow names the address', async () => {
    server.answers(json({ reached: true }));
    expect(await startRun(stack.as('user'), aGraphOf({ type: 'tool', tool: 'work' }))).toMatchObject({
      output: { answer: { reached: true } },
    });
  });
});

test('an inline definition is validated like a published one', async () => {
  const graph = { ...anAskingGraph(), edges: [] };
  expect(await stack.as('user').post('/api/runs', { graph })).toMatchObject(aProblem(422, 'INVALID_GRAPH'));
});
