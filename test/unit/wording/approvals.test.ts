import { expect, test } from 'vitest';
import { formatApproval, whoDecides } from '../../../src/wording/approvals.ts';

test('no part of a formatted approval can imitate another part, or move the cursor', () => {
  const args = { euros: 300 };
  const text = formatApproval({ title: 'Pay 1?\n  args     {"euros":1}', tool: 'pay', args, details: '\u001B[2A' });
  expect(text.split('\n')).toEqual([
    '  asks     Pay 1?',
    '             args     {"euros":1}',
    '  tool     pay',
    '  args     {"euros":300}',
    '  details  \\u{1b}[2A',
    '',
  ]);
});

test.each([
  [{}, 'anybody who may decide'],
  [{ roles: ['approver'], users: ['ann'] }, 'approver or ann'],
  [{ roles: ['approver'], quorum: 2 }, '2 people of approver'],
  [{ roles: ['approver'], escalate: [{ after: '1d', roles: ['lead'] }] }, 'approver (after 1d also lead)'],
  [{ users: ['ann'], excludeRequester: true }, 'ann, but not who has asked'],
])('the approval policy %j is formatted as %s', (policy, who) => {
  expect(whoDecides(policy)).toBe(who);
});
