import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { postRun, readAll } from '../../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../../support/readers/json-at.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';
import type { TestStack } from '../../support/servers/test-stack.ts';

let stack: TestStack;
let runId: string;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('./calls.config.ts', import.meta.url)));
  runId = await start(CALLING);
});
afterAll(async () => {
  await stack.stop();
});

const LONG = 'word '.repeat(20);
const LAST = { role: 'user', content: 'How are you?' };
const old = Array.from({ length: 20 }, (_, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `${n} ${LONG}`,
}));

async function start(graph: JsonObject, input: JsonObject = {}): Promise<string> {
  const { body } = await postRun(stack.as('user'), { graph, input });
  expect(body).toMatchObject({ status: 'completed' });
  return textAt(body, '/id');
}

/** A graph of nodes that run one after the other; some are of registered types. */
function inOrder(nodes: Readonly<Record<string, JsonObject>>, over: JsonObject): JsonObject {
  const ids = Object.keys(nodes);
  const edges = ['__start__', ...ids].map((from, n) => ({ from, to: ids[n] ?? '__end__' }));
  return { name: 'calling', nodes, edges, ...over };
}

const CALLING = inOrder(
  {
    ask: { type: 'llm', messages: 'chat' },
    pay: { type: 'tool', tool: 'flaky', args: { amount: 7 } },
    twice: { type: 'function', function: 'double', args: { n: 2 } },
    look: { type: 'function', function: 'look', execution: 'local', args: { at: 'it' } },
    hail: { type: 'greet', whom: 'Ada' },
  },
  { channels: { chat: { reducer: 'messages', default: [...old, LAST] } } },
);

const calls = async (query = '', caller: 'user' | 'admin' = 'user'): Promise<Json[]> =>
  await readAll(stack.as(caller), `/api/runs/${runId}/calls${query}`, 2);

describe('the calls of a run', () => {
  test('the calls of a run are listed in order, page by page, for each kind of caller and callee', async () => {
    expect((await calls()).map((call) => [at(call, '/kind'), at(call, '/name'), at(call, '/local')])).toEqual([
      ['model', 'default', false],
      ['tool', 'flaky', false],
      ['function', 'double', false],
      ['function', 'look', true],
      ['node', 'greet', false],
    ]);
  });

  test('the calls of a run include the prompt as sent, and what was omitted from it', async () => {
    const [call = null] = await calls('?kind=model');
    expect(call).toMatchObject({
      status: 'completed',
      reply: { text: 'Hello', finishReason: 'stop' },
      usage: { inputTokens: 30, outputTokens: 2 },
      costUsd: 0.000034,
      context: { maxTokens: 200 },
    });
    const sent = listAt(call, '/request/messages').map((message) => textAt(message, '/content'));
    expect(sent.at(-1)).toBe('How are you?');
    expect(sent.length + Number(at(call, '/context/dropped'))).toBe(old.length + 1);
    expect(sent.length).toBeLessThan(old.length);
  });

  test('the calls of a run include arguments, result, and each failed attempt', async () => {
    expect(await calls('?node=pay')).toMatchObject([
      {
        request: { amount: 7 },
        reply: { echo: { amount: 7 } },
        attempts: 2,
        failedAttempts: [{ error: { code: 'TOOL_FAILED', message: 'not now' } }],
        error: null,
      },
    ]);
  });

  test('calls of functions and node types have the same fields as those of tools', async () => {
    expect(await calls('?kind=function')).toMatchObject([
      { request: { n: 2 }, reply: { given: { n: 2 } }, status: 'completed', attempts: 1 },
      { request: { at: 'it' }, reply: { looked: { at: 'it' } }, status: 'completed' },
    ]);
    expect(await calls('?kind=node')).toMatchObject([{ request: { whom: 'Ada' }, reply: { greeted: 'Ada' } }]);
  });

  test('the calls of a run are found by their keys, within their run', async () => {
    const [call = null] = await calls('?kind=tool');
    const path = `/api/runs/${runId}/calls/${encodeURIComponent(textAt(call, '/key'))}`;
    expect(await stack.as('user').get(path)).toMatchObject({ status: 200, body: call });
    expect(await stack.as('otherTenantUser').get(path)).toMatchObject({ status: 404, body: { code: 'UNKNOWN_RUN' } });
    const none = await stack.as('user').get(`/api/runs/${runId}/calls/none`);
    expect(none).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await stack.as('user').get(`/api/runs/${runId}/calls?kind=all`)).toMatchObject({ status: 422 });
  });
});

describe('calls of a run with a redacted channel', () => {
  const SECRET = 'canary-4711';
  beforeAll(async () => {
    const say = 'Say {{ state.secret }}';
    const nodes = {
      ask: { type: 'llm', prompt: say, write: 'copy' },
      pay: { type: 'tool', tool: 'flaky', args: { to: '{{ state.secret }}', amount: 7 } },
      twice: { type: 'function', function: 'double', args: { s: '{{ state.secret }}' } },
      look: { type: 'function', function: 'look', execution: 'local', args: { s: '{{ state.secret }}' } },
      hail: { type: 'greet', whom: '{{ state.secret }}' },
    } as const;
    const graph = inOrder(nodes, { channels: { secret: { redact: true }, copy: {} }, input: ['secret'] });
    runId = await start(graph, { secret: SECRET });
  });

  test('the calls of a run with a redacted channel hide the value from callers without payload:read and include it for others', async () => {
    const shown = await calls();
    expect(shown).toHaveLength(5);
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(shown[1]).toMatchObject({ request: { to: '[redacted]', amount: 7 } });
    const whole = await calls('', 'admin');
    for (const call of whole) expect(JSON.stringify(at(call, '/request'))).toContain(SECRET);
    const keys = shown.map((call) => encodeURIComponent(textAt(call, '/key')));
    const single = await Promise.all(keys.map((key) => stack.as('user').get(`/api/runs/${runId}/calls/${key}`)));
    expect(JSON.stringify(single)).not.toContain(SECRET);
    expect(JSON.stringify(await readAll(stack.as('user'), `/api/runs/${runId}/history`))).not.toContain(SECRET);
  });
});
