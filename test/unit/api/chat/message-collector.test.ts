import { readUIMessageStream, validateUIMessages } from 'ai';
import type { UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { MessageCollector } from '../../../../src/api/chat/messages/message-collector.ts';
import type { UiChunk } from '../../../../src/api/chat/messages/plan-chat.ts';

const call = (toolCallId: string, over: Partial<Extract<UiChunk, { type: 'tool-input-available' }>> = {}): UiChunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName: 'pay',
  input: { euros: 5 },
  dynamic: true,
  ...over,
});
const ask = (id: string): readonly UiChunk[] => [
  call(id, { title: 'Pay?', providerMetadata: { holdfast: { digest: 'D' } } }),
  { type: 'tool-approval-request', approvalId: id, toolCallId: id },
];
const output = (toolCallId: string): UiChunk => ({
  type: 'tool-output-available',
  toolCallId,
  output: 1,
  dynamic: true,
});
const failure = (toolCallId: string): UiChunk => ({
  type: 'tool-output-error',
  toolCallId,
  errorText: 'No',
  dynamic: true,
});
const text = (id: string, ...deltas: readonly string[]): readonly UiChunk[] => [
  { type: 'text-start', id },
  ...deltas.map((delta): UiChunk => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const STEP: UiChunk = { type: 'start-step' };

function collect(chunks: readonly UiChunk[]): UIMessage['parts'] {
  const collector = new MessageCollector();
  for (const chunk of chunks) collector.add(chunk);
  return [...collector.parts];
}

/** The message that the AI SDK makes of the chunks. */
async function readBySdk(chunks: readonly UiChunk[]): Promise<UIMessage['parts']> {
  const stream = new ReadableStream<UiChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let parts: UIMessage['parts'] = [];
  for await (const message of readUIMessageStream({ stream })) ({ parts } = message);
  return parts;
}

/** The SDK keeps the approval of a call unchanged when the call goes on. */
const withoutPastApprovals = (parts: UIMessage['parts']): unknown =>
  JSON.parse(
    JSON.stringify(
      parts.map((part) =>
        'state' in part && part.state !== 'approval-requested' ? { ...part, approval: null } : part,
      ),
    ),
  );

test.each<[string, readonly UiChunk[], unknown]>([
  ['texts, in the order in which they began', [STEP, ...text('a', 'He', 'llo'), STEP, ...text('b', 'Bye')], undefined],
  [
    'a file and an output',
    [STEP, { type: 'file', url: '/f', mediaType: 'image/png' }, { type: 'data-output', data: 1 }],
    undefined,
  ],
  ['a call with its result', [STEP, call('c'), output('c')], undefined],
  ['a call that fails', [STEP, call('c'), failure('c')], undefined],
  ['a question', [STEP, ...ask('q')], { id: 'q' }],
  ['a question that is sent again', [STEP, ...ask('q'), ...ask('q')], { id: 'q' }],
  ['an approved call that has its result', [STEP, ...ask('q'), call('q'), output('q')], { id: 'q', approved: true }],
  ['an approved call that fails', [STEP, ...ask('q'), call('q'), failure('q')], { id: 'q', approved: true }],
  ['an approval without a call', [STEP, ...ask('q'), output('q')], { id: 'q', approved: true }],
  ['a rejection', [STEP, ...ask('q'), { type: 'tool-output-denied', toolCallId: 'q' }], { id: 'q', approved: false }],
  ['an approval that has expired', [STEP, ...ask('q'), failure('q')], undefined],
  ['a call with the id of one of an earlier step', [STEP, call('c'), STEP, call('c'), output('c')], undefined],
])('a message is collected as the AI SDK reads it from the stream: %s', async (_what, chunks, approval) => {
  const parts = collect(chunks);
  expect(withoutPastApprovals(parts)).toEqual(withoutPastApprovals(await readBySdk(chunks)));
  expect(parts.findLast((part) => part.type === 'dynamic-tool')?.approval).toEqual(approval);
  const messages = [{ id: 'm', role: 'assistant', parts }];
  await expect(validateUIMessages({ messages })).resolves.toHaveLength(1);
});

test('a text that is still open is collected as a complete one', () => {
  expect(collect(text('a', 'Hel').slice(0, 2))).toEqual([{ type: 'text', text: 'Hel', state: 'done' }]);
});

test('a chunk of an unknown call changes nothing', () => {
  expect(collect([output('x'), failure('x'), { type: 'text-delta', id: 'x', delta: 'a' }])).toEqual([]);
});

test('the error that ends a message is kept', () => {
  const collector = new MessageCollector();
  collector.add({ type: 'error', errorText: 'TIMEOUT: Too slow' });
  expect(collector.error).toBe('TIMEOUT: Too slow');
});
