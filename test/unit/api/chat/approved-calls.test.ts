import { describe, expect, test } from 'vitest';
import { SentCalls } from '../../../../src/api/chat/messages/sent-calls.ts';
import type { RunEvent, RunEventBody } from '../../../../src/graph/journal/events.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { AT, anApproval } from '../../../support/builders/store-builders.ts';

interface Place {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: readonly string[];
}

const TASK: Place = { node: 'think', visit: 1 };
const HIDDEN = '[redacted]';

const asks = (toolCalls: number, place = TASK): RunEventBody => ({
  ...place,
  type: 'model.called',
  model: 'm',
  toolCalls,
  attempts: 1,
  durationMs: 1,
  idempotencyKey: 'M',
});

const asked = (id: string, args: Json, place = TASK): RunEventBody => {
  const { task: _task, requesters: _requesters, asked: _asked, ...approval } = anApproval('R', 'pending');
  return { ...place, type: 'approval.requested', approval: { ...approval, id, args, tool: 'pay' } };
};

const decided = (approvalId: string, args: Json, { place = TASK, status = 'approved' } = {}): RunEventBody => ({
  ...place,
  type: 'approval.decided',
  approvalId,
  decision: 'approve',
  reason: null,
  status,
  args,
  by: 'bob',
});

const begun = (idempotencyKey: string, args: Json, place = TASK): RunEventBody => ({
  ...place,
  type: 'tool.requested',
  tool: 'pay',
  args,
  idempotencyKey,
});

const returned = (idempotencyKey: string): RunEventBody => ({
  ...TASK,
  type: 'tool.called',
  tool: 'pay',
  result: `of ${idempotencyKey}`,
  attempts: 1,
  durationMs: 1,
  idempotencyKey,
});

/** The cards of a client at the end, by id: the displayed arguments and the output. */
function cardsOf(heard: readonly RunEventBody[]): Readonly<Record<string, object>> {
  const calls = new SentCalls({ singleCallNodes: new Set(['single']) });
  const cards: Record<string, object> = {};
  heard.forEach((body, seq) => {
    const event: RunEvent = { ...body, seq, at: AT, step: 0 };
    for (const chunk of calls.add(event) ?? []) {
      if (chunk.type === 'tool-input-available') cards[chunk.toolCallId] = { input: chunk.input };
      if (chunk.type === 'tool-output-available')
        cards[chunk.toolCallId] = { ...cards[chunk.toolCallId], output: chunk.output };
    }
  });
  return cards;
}

const A = { to: 'A' };
const B = { to: 'B' };

describe('an approved call in a chat', () => {
  test('an approved tool call has its own card in a chat if another approved call begins first', () => {
    const cards = cardsOf([
      asks(2),
      asked('a1', A),
      asked('a2', B),
      decided('a2', B),
      decided('a1', A),
      begun('C0', A),
      begun('C1', B),
      returned('C1'),
      returned('C0'),
    ]);
    expect(cards).toEqual({ a1: { input: A, output: 'of C0' }, a2: { input: B, output: 'of C1' } });
  });

  test('a tool call without an approval does not take the chat card of an approved call', () => {
    const cards = cardsOf([
      asks(2),
      asked('a1', { amount: 1000 }),
      decided('a1', { amount: 1000 }),
      begun('C0', { amount: 10 }),
      begun('C1', { amount: 1000 }),
      returned('C0'),
      returned('C1'),
    ]);
    expect(cards).toEqual({
      a1: { input: { amount: 1000 }, output: 'of C1' },
      C0: { input: { amount: 10 }, output: 'of C0' },
    });
  });

  test('an approved tool call in a chat is matched by the arguments that a person has edited', () => {
    const cards = cardsOf([
      asks(2),
      asked('a1', A),
      asked('a2', B),
      decided('a2', A),
      decided('a1', { to: 'C' }, { status: 'pending' }),
      decided('a1', { to: 'C' }),
      begun('C0', { to: 'C' }),
      begun('C1', A),
    ]);
    expect(cards).toEqual({ a1: { input: { to: 'C' } }, a2: { input: A } });
  });

  test('equal approved tool calls have chat cards of their own, in the order of the questions', () => {
    const cards = cardsOf([
      asks(2),
      asked('a1', A),
      asked('a2', A),
      decided('a2', A),
      decided('a1', A),
      begun('C0', A),
      begun('C1', A),
      returned('C0'),
      returned('C1'),
    ]);
    expect(cards).toEqual({ a1: { input: A, output: 'of C0' }, a2: { input: A, output: 'of C1' } });
  });

  test('an approved tool call gets its own chat card beside an equal pending call', () => {
    const cards = cardsOf([asks(2), asked('a1', A), asked('a2', A), decided('a2', A), begun('C1', A), returned('C1')]);
    expect(cards).toEqual({ a1: { input: A }, a2: { input: A, output: 'of C1' } });
  });

  test('an approved tool call that was not made leaves no chat card for calls of the next message', () => {
    const cards = cardsOf([asks(1), asked('a1', A), decided('a1', A), asks(1), begun('C1', A)]);
    expect(cards).toEqual({ a1: { input: A }, C1: { input: A } });
  });

  test.each<[string, Place]>([
    ['element', { ...TASK, index: 1 }],
    ['visit', { ...TASK, visit: 2 }],
    ['graph', { ...TASK, path: ['outer'] }],
  ])('an approved tool call leaves no chat card for a call of another %s', (_what, place) => {
    const cards = cardsOf([asked('a1', A), decided('a1', A), begun('C1', A, place)]);
    expect(cards).toEqual({ a1: { input: A }, C1: { input: A } });
  });

  test('an approved tool call in a subgraph has its chat card even if a model answers in another run of the subgraph in between', () => {
    const place = { ...TASK, path: ['outer'] };
    const cards = cardsOf([asked('a1', A, place), decided('a1', A, { place }), asks(1, place), begun('C1', A, place)]);
    expect(cards).toEqual({ a1: { input: A } });
  });
});

describe('an approved call with hidden arguments in a chat', () => {
  test('the only approved tool call with hidden arguments has the chat card of its approval', () => {
    const cards = cardsOf([asks(1), asked('a1', HIDDEN), decided('a1', HIDDEN), begun('C0', HIDDEN), returned('C0')]);
    expect(cards).toEqual({ a1: { input: HIDDEN, output: 'of C0' } });
  });

  test('an approved tool call with hidden arguments has the chat card of its approval if its node makes one call', () => {
    const place = { ...TASK, node: 'single' };
    const cards = cardsOf([asked('a1', HIDDEN, place), decided('a1', HIDDEN, { place }), begun('C0', HIDDEN, place)]);
    expect(cards).toEqual({ a1: { input: HIDDEN } });
  });

  test('an approved tool call with hidden arguments has a separate chat card if its node makes the calls of a message', () => {
    const cards = cardsOf([asked('a1', HIDDEN), decided('a1', HIDDEN), begun('C0', HIDDEN)]);
    expect(cards).toEqual({ a1: { input: HIDDEN, output: { approved: true } }, C0: { input: HIDDEN } });
  });

  test.each<[string, Json, Place]>([
    ['another call of its message may be the approved one', HIDDEN, TASK],
    ['the visible parts may be equal', { to: 'A', items: [{ card: HIDDEN }] }, TASK],
    ['other runs of its graph may have made it', HIDDEN, { ...TASK, path: ['outer'] }],
  ])('an approved tool call with hidden arguments has a separate chat card where %s', (_why, args, place) => {
    const cards = cardsOf([
      asks(place.path ? 1 : 2, place),
      asked('a1', args, place),
      decided('a1', args, { place }),
      begun('C0', args, place),
      returned('C0'),
    ]);
    expect(cards).toEqual({
      a1: { input: args, output: { approved: true } },
      C0: { input: args, output: 'of C0' },
    });
  });
});
