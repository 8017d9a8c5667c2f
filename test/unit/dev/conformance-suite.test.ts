import { expect, test } from 'vitest';
import { findSuite } from '../../../src/dev/conformance.ts';

test('an empty CONFORMANCE_DIR counts as unset', () => {
  expect(findSuite({ CONFORMANCE_DIR: '' })).toEqual(findSuite({}));
});
