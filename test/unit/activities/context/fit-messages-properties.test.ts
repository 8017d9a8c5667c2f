import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallError } from '../../../../src/activities/calls/call-error.ts';
import { withDistinctIds, repairCalls } from '../../../../src/activities/context/restore-conversation.ts';
import { fitMessages, createRequestMeter } from '../../../../src/activities/context/fit-messages.ts';
import type { FittingMessages } from '../../../../src/activities/context/fit-messages.ts';
import { groupMessages, isOfSystem, requiredGroups } from '../../../../src/activities/context/summarize.ts';
import type { MessageProcessor } from '../../../../src/activities/context/message-processor.ts';
import type { Message } from '../../../../src/graph/definition/message.ts';
import type { OverflowReply } from '../../../../src/graph/run/effect.ts';
import { aModelRequest } from '../../../support/builders/call-builders.ts';
import { anyConversation, idsOf, isEachCallAnswered } from '../../../support/builders/conversations.ts';

/** A processor controlled by numbers: it drops, shortens, duplicates and adds messages, in any order. */
const anyProcessor: fc.Arbitrary<MessageProcessor> = fc
  .tuple(fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 8 }), fc.boolean())
  .map(([moves, isReversed]) => (messages: readonly Message[]) => {
    const changed = messages.flatMap((message, at) => change(message, moves[at % moves.length] ?? 0));
    return isReversed ? changed.toReversed() : changed;
  });

function change(message: Message, move: number): readonly Message[] {
  const changes: Readonly<Record<number, readonly Message[]>> = {
    0: [],
    1: [{ ...message, content: message.content.slice(0, 2) }],
    2: [message, { id: `${message.id}-new`, role: 'user', content: 'new' }],
    3: [message, message],
  };
  return changes[move] ?? [message];
}

const STEPS = ['last', 'shorten-tool-results', 'summarize', 'mine'];
const anyStrategy = fc.uniqueArray(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 4 });
const anyLimit = fc.option(fc.nat({ max: 400 }), { freq: 10 });
const counter = (text: string): number => text.length;
const measure = { contextWindow: null, loadCounter: async () => counter };
const meter = createRequestMeter(counter);
const SYSTEM = 'Be brief.';
const frame = meter.envelope({ system: SYSTEM, tools: [], output: null });

interface Given {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  readonly strategy: readonly string[];
  readonly mine?: MessageProcessor;
}

/** Returns the sent messages; `null` if nothing can be sent. */
async function fit({ messages, maxTokens, strategy, mine }: Given): Promise<FittingMessages | OverflowReply | null> {
  const request = aModelRequest({ system: SYSTEM, messages, context: { maxTokens, strategy } });
  try {
    return await fitMessages(request, { measure, processors: mine ? { mine } : {}, tools: [] });
  } catch (error) {
    if (error instanceof CallError && error.reason === 'context_length_exceeded') return null;
    throw error;
  }
}

describe('for any conversation, limit and strategy', () => {
  test('for any conversation, limit and strategy, the sent messages are complete, in order, include the system messages, and fit', async () => {
    const given = fc.record({
      messages: anyConversation,
      maxTokens: anyLimit,
      strategy: anyStrategy,
      mine: anyProcessor,
    });
    await fc.assert(
      fc.asyncProperty(given, async (asked) => {
        const fitted = await fit(asked);
        if (fitted?.kind !== 'fitting') return;
        const before = repairCalls(withDistinctIds(asked.messages));
        const ids = new Set(idsOf(before));
        const kept = idsOf(fitted.messages).filter((id) => ids.has(id));
        expect(isEachCallAnswered(fitted.messages)).toBe(true);
        expect(kept).toEqual(idsOf(before).filter((id) => kept.includes(id)));
        expect(fitted.messages).toEqual(expect.arrayContaining(before.filter(({ role }) => role === 'system')));
        const tokens = frame + meter.messages(fitted.messages);
        expect(tokens).toBeLessThanOrEqual(asked.maxTokens ?? Infinity);
        expect(fitted.report?.tokens ?? tokens).toBe(tokens);
      }),
      { numRuns: 500 },
    );
  });

  test('for any conversation, the overflow can be summarized: call pairs stay complete, the newest user message stays, and the rest fits', async () => {
    const given = fc.record({
      messages: anyConversation,
      maxTokens: fc.nat({ max: 400 }),
      strategy: fc.constant(['summarize']),
    });
    await fc.assert(
      fc.asyncProperty(given, async (asked) => {
        const fitted = await fit(asked);
        if (fitted?.kind !== 'overflow') return;
        const { messages } = fitted;
        const distinct = withDistinctIds(asked.messages);
        const [first, others] = [distinct.slice(0, messages), distinct.slice(messages)];
        expect(first.some(({ role }) => role !== 'system')).toBe(true);
        const newest = distinct.findLast(({ role }) => role === 'user');
        expect(newest === undefined || others.includes(newest)).toBe(true);
        const inserted = (list: readonly Message[]): number =>
          repairCalls(list).filter(({ id }) => id.includes(':unanswered:')).length;
        expect(inserted(first) + inserted(others)).toBe(inserted(distinct));
        const rest = [...first.filter(({ role }) => role === 'system'), ...repairCalls(others)];
        expect(frame + meter.messages(rest)).toBeLessThanOrEqual(asked.maxTokens);
      }),
      { numRuns: 500 },
    );
  });
});

describe('last', () => {
  const given = fc.record({
    messages: anyConversation,
    maxTokens: fc.nat({ max: 400 }),
    strategy: fc.constant(['last']),
  });

  test('the strategy "last" keeps as many of the newest messages as fit, without a gap', async () => {
    await fc.assert(
      fc.asyncProperty(given, async (asked) => {
        const fitted = await fit(asked);
        if (fitted?.kind !== 'fitting') return;
        const groups = groupMessages(repairCalls(withDistinctIds(asked.messages)));
        const required = requiredGroups(groups);
        const sent = new Set(idsOf(fitted.messages));
        const isKept = groups.filter((group) => !required.has(group)).map(([{ id }]) => sent.has(id));
        expect(isKept).toEqual(isKept.toSorted((one, other) => Number(one) - Number(other)));
        const nextOlder = groups.findLast((group) => !sent.has(group[0].id));
        const larger = meter.messages([...fitted.messages, ...(nextOlder ?? [])]);
        expect(nextOlder === undefined || frame + larger > asked.maxTokens).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('the strategy "last" fails only where the required messages do not fit', async () => {
    await fc.assert(
      fc.asyncProperty(given, async (asked) => {
        const groups = groupMessages(repairCalls(withDistinctIds(asked.messages)));
        const required = [...requiredGroups(groups)].flat();
        const fits = frame + meter.messages(required) <= asked.maxTokens;
        expect((await fit(asked)) !== null).toBe(fits);
        expect(groups.filter(isOfSystem).every((group) => required.includes(group[0]))).toBe(true);
      }),
    );
  });
});
