import { expect, test } from 'vitest';
import { matchAnswers } from '../../../../src/activities/context/match-answers.ts';
import { aCaller, anAnswer } from '../../../support/builders/conversations.ts';
import { growthOf } from '../../../support/readers/growth.ts';

test('an answer belongs to the first of the calls of a message that share its id', () => {
  const [caller, first, second] = [aCaller('a', 'k', 'k'), anAnswer('t1', 'k'), anAnswer('t2', 'k')];
  expect(matchAnswers([caller, first, second]).get(caller)).toEqual([first, second]);
});

test('takes linear time for calls that share an id', () => {
  const growth = growthOf((size) => {
    const callers = Array.from({ length: 20 * size }, (_, at) => aCaller(`a${at}`, 'k'));
    return () => matchAnswers(callers);
  });
  expect(growth).toBeLessThan(1.7);
});
