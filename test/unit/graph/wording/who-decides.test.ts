import { expect, test } from 'vitest';
import { whoDecides } from '../../../../src/graph/wording/who-decides.ts';

test.each([
  [{}, 'anybody who may decide'],
  [{ roles: ['approver'], users: ['ann'] }, 'approver or ann'],
  [{ roles: ['approver'], quorum: 2 }, '2 people of approver'],
  [{ roles: ['approver'], escalate: [{ after: '1d', roles: ['lead'] }] }, 'approver (after 1d also lead)'],
  [{ users: ['ann'], excludeRequester: true }, 'ann, but not who has asked'],
])('%j names who decides', (policy, who) => {
  expect(whoDecides(policy)).toBe(who);
});
