import { expect, test } from 'vitest';
import { describeApproval } from '../../../../console/src/pages/tools/terms.ts';

test.each([
  ['always', 'unsafe', 'before each call'],
  ['never', 'unsafe', 'never'],
  [null, 'unsafe', 'when an agent wants to call it'],
  [null, 'idempotent', 'when a graph says so'],
  [
    { when: 'args.amount > 100', policy: { roles: ['lead', 'cfo'] }, timeout: '2d' },
    'keyed',
    'when args.amount > 100, by lead or cfo, within 2d',
  ],
  [{}, 'keyed', 'before each call'],
] as const)('the console describes the approval setting %j of an %s tool', (approval, effect, words) => {
  expect(describeApproval({ approval, effect })).toBe(words);
});
