import { expect, test } from 'vitest';
import { createFingerprints } from '../../../../src/api/http/fingerprints.ts';

test('an HMAC fingerprint depends on the secret, the kind and the content', () => {
  const fingerprints = createFingerprints('one');
  expect(fingerprints.of('state', [1])).toMatch(/^[\da-f]{64}$/);
  expect(fingerprints.of('state', [1])).toBe(createFingerprints('one').of('state', [1]));
  const others = [
    fingerprints.of('state', [2]),
    fingerprints.of('approval', [1]),
    createFingerprints('two').of('state', [1]),
  ];
  expect(others).not.toContain(fingerprints.of('state', [1]));
});
