import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import { hasStatus, postRun } from '../support/readers/api-runs.ts';
import { allOf } from '../support/readers/api-states.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { startTestStack } from '../support/servers/test-stack.ts';
import type { TestStack } from '../support/servers/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack(fileURLToPath(new URL('./masked-logs.config.ts', import.meta.url)), {
    LOG_LEVEL: 'debug',
  });
});
afterAll(async () => {
  await stack.stop();
});

const SECRET = 'canary-4711';
const VALUE = '{{ state.secret }}';

/** A graph of one node that fails with an error that quotes the channel `secret`. */
const failing = (fails: JsonObject, redact = true): JsonObject => ({
  name: 'quoting',
  channels: { secret: { redact }, chat: { reducer: 'messages' }, n: {} },
  nodes: { fails },
  edges: [
    { from: '__start__', to: 'fails' },
    { from: 'fails', to: '__end__' },
  ],
});

async function runOf(graph: JsonObject): Promise<string> {
  const { status, body } = await postRun(stack.as('user'), { graph, input: { secret: SECRET } });
  expect([status, body]).toEqual([201, expect.anything()]);
  const id = textAt(body, '/id');
  await stack.as('user').untilRun(id, hasStatus('failed'));
  return id;
}

const wholeLog = async (): Promise<string> => await readFile(join(stack.dataDir, 'holdfast.log'), 'utf8');
const linesOf = async (run: string): Promise<Json[]> =>
  (await wholeLog())
    .trim()
    .split('\n')
    .map((line) => toJson(JSON.parse(line)))
    .filter((line) => at(line, '/run') === run);

/** Temporal's SDK writes the lines of activities a moment later. */
async function hasLine(run: string, line: object): Promise<void> {
  await expect
    .poll(async () => await linesOf(run), { timeout: 30_000, interval: 100 })
    .toContainEqual(expect.objectContaining(line));
}

const TOOL = { type: 'tool', tool: 'quote', args: { value: VALUE } };

const NODES: Readonly<Record<string, JsonObject>> = {
  tool: TOOL,
  'local function': { type: 'function', function: 'quote', execution: 'local', args: { value: VALUE } },
  function: { type: 'function', function: 'quote', args: { value: VALUE } },
  model: { type: 'llm', prompt: VALUE },
  'node type': { type: 'quoting', value: VALUE },
  'pure step': { type: 'set', write: { n: '{{ timestamp(state.secret) }}' } },
  subgraph: {
    type: 'subgraph',
    graph: { ...failing({ ...TOOL, args: { value: '{{ state.given }}' } }, false), channels: { given: {}, n: {} } },
    input: { given: VALUE },
  },
};

describe('the log of a run whose redacted value is quoted', () => {
  test.each(Object.entries(NODES))(
    'the log has no redacted value that the error of a %s quotes',
    async (_what, node) => {
      const id = await runOf(failing(node));
      expect(JSON.stringify(await allOf(stack.as('admin'), id))).toMatch(/"message":"[^"]*(?:\\"|[^"])*canary-4711/);
      await hasLine(id, { msg: 'a node has failed', message: '[redacted]' });
      await hasLine(id, { msg: 'a run has failed', message: '[redacted]', code: expect.stringMatching(/^[A-Z_]+$/) });
      expect(await wholeLog()).not.toContain(SECRET);
    },
  );

  test('still names run, node, call, class and code', async () => {
    const id = await runOf(failing(TOOL));
    const [code, message] = ['TOOL_FAILED', '[redacted]'];
    await hasLine(id, { msg: 'a call failed', node: 'fails', called: 'tool:quote', code, message });
    const error = { type: 'TypeError', stack: expect.stringContaining('masked-logs.config.ts') };
    await hasLine(id, { msg: 'a line of the tool', error: expect.objectContaining(error) });
    // A workflow that fails is logged by the SDK after the run has ended.
    await expect.poll(wholeLog).toMatch(new RegExp(`"workflowId":"run:demo:${id}".*"msg":"Workflow failed"`));
    expect(await wholeLog()).not.toContain(SECRET);
  });
});

test('the log of a run without redacted values has the texts of its errors', async () => {
  const id = await runOf(failing(TOOL, false));
  const message = expect.stringContaining(SECRET);
  for (const msg of ['a call failed', 'a node has failed', 'a run has failed']) await hasLine(id, { msg, message });
  await hasLine(id, { msg: 'a line of the tool', error: expect.objectContaining({ message }) });
});
