import { expect, test } from 'vitest';
import { createSeals } from '../../../../src/api/http/seals.ts';

test('a code depends on the secret, the kind and the content', () => {
  const seals = createSeals('one');
  expect(seals.of('state', [1])).toMatch(/^[\da-f]{64}$/);
  expect(seals.of('state', [1])).toBe(createSeals('one').of('state', [1]));
  const others = [seals.of('state', [2]), seals.of('approval', [1]), createSeals('two').of('state', [1])];
  expect(others).not.toContain(seals.of('state', [1]));
});
