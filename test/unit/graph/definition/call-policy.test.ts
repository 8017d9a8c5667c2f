import { expect, test } from 'vitest';
import { toCallPolicy } from '../../../../src/graph/definition/call-policy.ts';
import { DEFAULTS } from '../../../../src/graph/definition/catalog.ts';

test('the call policy of a node includes its deadline', () => {
  expect(toCallPolicy([], DEFAULTS, '1h').deadlineMs).toBe(3_600_000);
  expect(toCallPolicy([], DEFAULTS, undefined).deadlineMs).toBeNull();
});
