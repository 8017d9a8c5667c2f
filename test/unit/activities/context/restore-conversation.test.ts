import { expect, test, describe } from 'vitest';
import * as fc from 'fast-check';
import { withDistinctIds, matchAnswers, repairCalls } from '../../../../src/activities/context/restore-conversation.ts';
import {
  aMessage,
  aCaller,
  anAnswer,
  anyConversation,
  idsOf,
  isEachCallAnswered,
} from '../../../support/builders/conversations.ts';
import { growthOf } from '../../../support/readers/growth.ts';

test('a restored conversation numbers the copies of a message id, and skips ids that other messages already have', () => {
  const ids = ['x', 'x', 'x#3', 'x', 'x#3'];
  const messages = withDistinctIds(ids.map((id) => aMessage(id, 'user')));
  expect(messages.map(({ id }) => id)).toEqual(['x', 'x#2', 'x#3', 'x#4', 'x#3#2']);
});

test('restoring a conversation takes linear time for messages that share an id', () => {
  const growth = growthOf((size) => {
    const messages = Array.from({ length: 2 * size }, () => aMessage('x', 'user'));
    return () => withDistinctIds(messages);
  });
  expect(growth).toBeLessThan(1.6);
});

test('an answer belongs to the first of the tool calls of a message that share its id', () => {
  const [caller, first, second] = [aCaller('a', 'k', 'k'), anAnswer('t1', 'k'), anAnswer('t2', 'k')];
  expect(matchAnswers([caller, first, second]).get(caller)).toEqual([first, second]);
});

test('restoring a conversation takes linear time for tool calls that share an id', () => {
  const growth = growthOf((size) => {
    const callers = Array.from({ length: 20 * size }, (_, at) => aCaller(`a${at}`, 'k'));
    return () => matchAnswers(callers);
  });
  expect(growth).toBeLessThan(1.7);
});

const user = aMessage('u', 'user');

describe('repairCalls', () => {
  test('the repair of tool calls leaves a complete conversation unchanged', () => {
    const whole = [
      user,
      aCaller('a', 'k1', 'k2'),
      anAnswer('t1', 'k1'),
      anAnswer('t2', 'k2'),
      aMessage('b', 'assistant'),
    ];
    expect(repairCalls(whole)).toEqual(whole);
  });

  test('the repair adds a placeholder answer for a tool call without an answer', () => {
    const [, , answer, next] = repairCalls([user, aCaller('a', 'k1'), aMessage('v', 'user')]);
    expect(answer).toMatchObject({ role: 'tool', toolCallId: 'k1', content: expect.stringMatching(/canceled/) });
    expect(next?.id).toBe('v');
  });

  test('the repair adds answers for the tool calls of the last message, too', () => {
    expect(repairCalls([user, aCaller('a', 'k1')])).toHaveLength(3);
  });

  test.each([
    ['an answer without a tool call', [user, anAnswer('t', 'k1')]],
    ['an answer without a tool call id', [user, aMessage('t', 'tool')]],
    ['a second answer to a tool call', [aCaller('a', 'k1'), anAnswer('t1', 'k1'), anAnswer('t2', 'k1'), user]],
  ])('the repair of tool calls drops %s', (_name, messages) => {
    const repaired = idsOf(repairCalls(messages));
    expect(repaired).not.toContain('t');
    expect(repaired).not.toContain('t2');
  });

  test.each([
    ['a position after another message', [aCaller('a', 'k1'), user, anAnswer('t1', 'k1')]],
    ['a position before the call', [anAnswer('t1', 'k1'), aCaller('a', 'k1'), user]],
  ])('the repair moves an answer to its tool call from %s', (_name, messages) => {
    expect(idsOf(repairCalls(messages))).toEqual(['a', 't1', 'u']);
  });

  test('the repair puts answers in the order of their tool calls', () => {
    const messages = [aCaller('a', 'k1', 'k2'), anAnswer('t2', 'k2'), anAnswer('t1', 'k1')];
    expect(idsOf(repairCalls(messages))).toEqual(['a', 't1', 't2']);
  });

  test('the repair assigns each of two tool calls with the same id its own answer', () => {
    const messages = [aCaller('a', 'k1'), anAnswer('t1', 'k1'), aCaller('b', 'k1'), anAnswer('t2', 'k1')];
    expect(repairCalls(messages)).toEqual(messages);
  });

  test('the repair of tool calls completes any conversation, and leaves a complete one unchanged', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const repaired = repairCalls(withDistinctIds(conversation));
        expect(isEachCallAnswered(repaired)).toBe(true);
        expect(repairCalls(repaired)).toEqual(repaired);
      }),
    );
  });

  test('the repair of tool calls keeps every message other than tool answers, in order', () => {
    fc.assert(
      fc.property(anyConversation, (conversation) => {
        const given = withDistinctIds(conversation);
        const others = given.filter(({ role }) => role !== 'tool');
        expect(repairCalls(given).filter(({ role }) => role !== 'tool')).toEqual(others);
      }),
    );
  });
});
