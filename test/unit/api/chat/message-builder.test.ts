import { uiMessageChunkSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import type { UiChunk, ChatPlan } from '../../../../src/api/chat/messages/plan-chat.ts';
import { MessageBuilder } from '../../../../src/api/chat/messages/message-builder.ts';
import type { ModelDelta } from '../../../../src/graph/journal/batch.ts';
import type { RunEvent, RunEventBody } from '../../../../src/graph/journal/events.ts';
import type { RunStatus } from '../../../../src/graph/run/status.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { AT, aDelta, anApproval } from '../../../support/builders/store-builders.ts';

const PLAN: ChatPlan = {
  input: { channel: 'messages', kind: 'messages' },
  answer: 'messages',
  answeringNodes: new Set(['think']),
  singleCallNodes: new Set(),
};
const TASK = { node: 'think', visit: 1 } as const;

interface Built {
  readonly chunks: readonly UiChunk[];
  readonly end: readonly UiChunk[] | null;
}

type Input = RunEventBody | { readonly delta: Partial<ModelDelta> };

/** Builds a message from events and deltas, without data chunks of nodes. */
async function build(inputs: readonly Input[], status: RunStatus = 'running', plan = PLAN): Promise<Built> {
  const message = new MessageBuilder(plan);
  let seq = 0;
  const chunks = inputs.flatMap((one) => {
    if ('delta' in one) return message.addDelta(aDelta(one.delta));
    const event: RunEvent = { ...one, seq: ++seq, at: AT, step: 0 };
    return message.add(event);
  });
  const end = message.rest(status, 'R', seq);
  for (const chunk of [...chunks, ...(end ?? [])])
    expect(await uiMessageChunkSchema().validate?.(chunk)).toMatchObject({ success: true });
  return { chunks: chunks.filter(({ type }) => type !== 'data-node'), end };
}

const done = (...texts: readonly string[]): RunEventBody => ({
  ...TASK,
  type: 'node.completed',
  update: { messages: texts.map((content, at) => ({ id: `m${at}`, role: 'assistant', content })) },
});
const completed: RunEventBody = { type: 'run.completed', output: { messages: [] } };
const finish = (finishReason: string, seq: number) => ({
  type: 'finish',
  finishReason,
  messageMetadata: { runId: 'R', seq },
});
const text = (id: string, ...deltas: readonly string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];

describe('a text of a chat message', () => {
  test('a text is sent once, while it is generated', async () => {
    const { chunks, end } = await build(
      [
        { type: 'step.started', nodes: ['think'] },
        { ...TASK, type: 'node.started' },
        { delta: { index: 0, text: 'Hel' } },
        { delta: { index: 1, text: 'lo' } },
        done('Hello'),
        completed,
      ],
      'completed',
    );
    expect(chunks).toEqual([{ type: 'start-step' }, ...text('text-1', 'Hel', 'lo')]);
    expect(end).toEqual([{ type: 'finish-step' }, finish('stop', 4)]);
  });

  test.each([
    ['no piece came', [], ['Hello']],
    ['the last piece was lost', [{ index: 0, text: 'Hel' }], ['Hel', 'lo']],
    [
      'a piece in the middle was lost',
      [
        { index: 0, text: 'Hel' },
        { index: 2, text: 'o' },
      ],
      ['Hel', 'lo'],
    ],
    ['the first piece was lost', [{ index: 1, text: 'llo' }], ['Hello']],
    [
      'another attempt said the same again',
      [
        { index: 0, text: 'Hel' },
        { attempt: 2, index: 0, text: 'H' },
        { attempt: 2, index: 1, text: 'el' },
        { attempt: 2, index: 2, text: 'lo' },
        { attempt: 1, index: 1, text: 'late' },
      ],
      ['Hel', 'lo'],
    ],
  ])('a text is complete in the end where %s', async (_what, deltas, pieces) => {
    const { chunks } = await build([...deltas.map((delta) => ({ delta })), done('Hello')]);
    expect(chunks).toEqual(text('text-1', ...pieces));
  });

  test('a different text of another attempt is sent as a new part', async () => {
    const { chunks } = await build([
      { delta: { index: 0, text: 'Bye' } },
      { delta: { attempt: 2, index: 0, text: 'Hello' } },
      done('Hello'),
    ]);
    expect(chunks).toEqual([...text('text-1', 'Bye'), ...text('text-2', 'Hello')]);
  });

  test.each([
    ['stop', 'stop'],
    ['tool-calls', 'stop'],
    ['length', 'length'],
    ['other', 'other'],
  ])('a message whose last answer ended with %s finishes with %s', async (finishReason, reason) => {
    const called = (ended: string): RunEventBody => ({
      ...TASK,
      type: 'model.called',
      model: 'default',
      finishReason: ended,
      attempts: 1,
      durationMs: 1,
      idempotencyKey: 'k',
    });
    const { end } = await build([called('length'), called(finishReason), done('Hello'), completed], 'completed');
    expect(end).toEqual([finish(reason, 4)]);
  });

  test('texts of nodes without a model are sent in the order of the nodes', async () => {
    expect((await build([done('One', 'Two')])).chunks).toEqual([...text('text-1', 'One'), ...text('text-2', 'Two')]);
  });

  test('the text of a message with files is sent before the files', async () => {
    const content = [
      { type: 'file', url: 'https://a.example/b.pdf', mediaType: 'application/pdf' },
      { type: 'text', text: 'Hi' },
    ];
    const messages = [
      { id: 'm', role: 'assistant', content },
      { id: 'n', role: 'user', content },
      { id: 'o', role: 'assistant', content: [{ type: 'image', blob: 'B/1', mediaType: 'image/png' }] },
    ];
    const { chunks } = await build([{ ...TASK, type: 'node.completed', update: { messages } }]);
    expect(chunks).toEqual([
      ...text('text-1', 'Hi'),
      { type: 'file', url: 'https://a.example/b.pdf', mediaType: 'application/pdf' },
      { type: 'file', url: '/api/blobs/B%2F1', mediaType: 'image/png' },
    ]);
  });

  test('texts of nodes that do not answer, or are in subgraphs, are not sent', async () => {
    const inside: RunEvent = { ...done('Hidden'), path: ['outer'], seq: 1, at: AT, step: 0 };
    const built = await build([
      { delta: { node: 'judge', text: '{"fine":true}' } },
      { delta: { path: ['outer'], text: 'Hidden' } },
      inside,
      { ...TASK, type: 'node.completed', update: { verdict: 'fine', messages: [{ role: 'user', content: 'Hi' }] } },
    ]);
    expect(built.chunks).toEqual([]);
  });

  test('a text that the reader may not see is sent redacted', async () => {
    const hidden: RunEventBody = { ...TASK, type: 'node.completed', update: { messages: '[redacted]' } };
    expect((await build([hidden])).chunks).toEqual(text('text-1', '[redacted]'));
  });

  test('a text continues after the calls that it requests', async () => {
    const { chunks } = await build([
      { delta: { callKey: 'K1', index: 0, text: 'Looking' } },
      { ...TASK, type: 'tool.requested', tool: 'find', args: { id: 7 }, idempotencyKey: 'C1' },
      {
        ...TASK,
        type: 'tool.called',
        tool: 'find',
        result: { found: true },
        attempts: 1,
        durationMs: 1,
        idempotencyKey: 'C1',
      },
      { delta: { callKey: 'K2', index: 0, text: 'Found' } },
      done('Looking', 'Found'),
    ]);
    expect(chunks).toEqual([
      ...text('text-1', 'Looking'),
      { type: 'tool-input-available', toolCallId: 'C1', toolName: 'find', input: { id: 7 }, dynamic: true },
      { type: 'tool-output-available', toolCallId: 'C1', output: { found: true }, dynamic: true },
      ...text('text-2', 'Found'),
    ]);
  });
});

describe('a question to a person in a chat message', () => {
  const asking = (tool?: string): RunEventBody => {
    const { task: _task, requesters: _requesters, asked: _asked, ...approval } = anApproval('R', 'pending');
    return { ...TASK, type: 'approval.requested', approval: { ...approval, args: { n: 1 }, ...(tool && { tool }) } };
  };
  const decided = (status: string, args: Json = { n: 1 }): RunEventBody => ({
    ...TASK,
    type: 'approval.decided',
    approvalId: 'R.a1',
    decision: 'approve',
    reason: null,
    status,
    args,
    by: 'bob',
  });
  const providerMetadata = { holdfast: { digest: 'd' } };
  const call = { type: 'tool-input-available', toolCallId: 'R.a1', title: 'Go?', dynamic: true, providerMetadata };
  const request = { type: 'tool-approval-request', approvalId: 'R.a1', toolCallId: 'R.a1' };

  test('a question ends the message with a pending call', async () => {
    const { chunks, end } = await build([asking('pay')], 'waiting');
    const question = [{ ...call, toolName: 'pay', input: { n: 1 } }, request];
    expect(chunks).toEqual(question);
    expect(end).toEqual([...question, finish('tool-calls', 1)]);
  });

  test('a question does not end the message while other nodes are running', async () => {
    expect((await build([asking('pay')], 'running')).end).toBeNull();
  });

  test('a question without a tool is a call of its own, with the displayed details', async () => {
    const { chunks } = await build([asking(), decided('approved')]);
    expect(chunks).toEqual([
      { ...call, toolName: 'approval', input: { title: 'Go?', details: null, args: { n: 1 } } },
      request,
      { type: 'tool-output-available', toolCallId: 'R.a1', output: { approved: true }, dynamic: true },
    ]);
  });

  test('an approved question has the arguments that were approved', async () => {
    const { chunks } = await build([asking(), decided('approved', { n: 2 })]);
    expect(chunks.slice(2)).toMatchObject([
      { ...call, input: { args: { n: 2 } } },
      { type: 'tool-output-available', output: { approved: true } },
    ]);
  });

  test('an approved question becomes the call', async () => {
    const { chunks } = await build([
      asking('pay'),
      decided('approved', { n: 2 }),
      { ...TASK, type: 'tool.requested', tool: 'pay', args: { n: 2 }, idempotencyKey: 'C1' },
      {
        ...TASK,
        type: 'tool.called',
        tool: 'pay',
        error: { code: 'TOOL_FAILED', message: 'No' },
        attempts: 1,
        durationMs: 1,
        idempotencyKey: 'C1',
      },
    ]);
    expect(chunks.slice(2)).toEqual([
      { ...call, toolName: 'pay', input: { n: 2 } },
      { type: 'tool-input-available', toolCallId: 'R.a1', toolName: 'pay', input: { n: 2 }, dynamic: true },
      { type: 'tool-output-error', toolCallId: 'R.a1', errorText: 'No', dynamic: true },
    ]);
  });

  test.each([
    ['rejected', [{ type: 'tool-output-denied', toolCallId: 'R.a1' }]],
    [
      'expired',
      [{ type: 'tool-output-error', toolCallId: 'R.a1', errorText: 'The approval is expired', dynamic: true }],
    ],
    ['pending', []],
  ])('a question that is %s', async (status, chunks) => {
    expect((await build([asking('pay'), decided(status)])).chunks.slice(2)).toEqual(chunks);
  });

  test('a question that needs one more approval is sent again', async () => {
    expect((await build([asking('pay'), decided('pending')], 'waiting')).end).toEqual([
      { ...call, toolName: 'pay', input: { n: 1 } },
      request,
      finish('tool-calls', 2),
    ]);
  });
});

describe('the end of a run in a chat message', () => {
  const failed: RunEventBody = { type: 'run.failed', error: { code: 'TIMEOUT', message: 'Too slow' } };

  test.each<[RunStatus, RunEventBody, unknown]>([
    ['failed', failed, { type: 'error', errorText: 'TIMEOUT: Too slow' }],
    ['canceled', { type: 'run.canceled', by: 'ann', reason: 'enough' }, { type: 'abort', reason: 'enough' }],
    ['canceled', { type: 'run.canceled', by: 'ann', reason: null }, { type: 'abort' }],
  ])('a message ends when its run is %s', async (status, event, chunk) => {
    expect((await build([event], status)).end).toEqual([chunk]);
  });

  test('a message does not end while the run continues by itself', async () => {
    expect((await build([failed, { type: 'run.retried', by: 'ann' }], 'running')).end).toBeNull();
    expect((await build([failed, { type: 'run.retried', by: 'ann' }, completed], 'completed')).end).toEqual([
      finish('stop', 3),
    ]);
  });

  test('the end of a message contains the output of a graph without an answer channel', async () => {
    const output: RunEventBody = { type: 'run.completed', output: { count: 7 } };
    expect((await build([output], 'completed', { ...PLAN, answer: null })).end).toEqual([
      { type: 'data-output', data: { count: 7 } },
      finish('stop', 1),
    ]);
  });
});
