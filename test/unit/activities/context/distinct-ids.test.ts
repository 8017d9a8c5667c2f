import { expect, test } from 'vitest';
import { withDistinctIds } from '../../../../src/activities/context/distinct-ids.ts';
import { aMessage } from '../../../support/builders/conversations.ts';
import { growthOf } from '../../../support/readers/growth.ts';

test('counts the copies of an id, and passes those that a message has by itself', () => {
  const ids = ['x', 'x', 'x#3', 'x', 'x#3'];
  const messages = withDistinctIds(ids.map((id) => aMessage(id, 'user')));
  expect(messages.map(({ id }) => id)).toEqual(['x', 'x#2', 'x#3', 'x#4', 'x#3#2']);
});

test('takes linear time for messages that share an id', () => {
  const growth = growthOf((size) => {
    const messages = Array.from({ length: 2 * size }, () => aMessage('x', 'user'));
    return () => withDistinctIds(messages);
  });
  expect(growth).toBeLessThan(1.6);
});
