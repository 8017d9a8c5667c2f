import { expect, test } from 'vitest';
import { findSuite } from '../../../src/dev/conformance.ts';

test('an empty environment variable CONFORMANCE_DIR counts as unset', () => {
  expect(findSuite({ CONFORMANCE_DIR: '' })).toEqual(findSuite({}));
});
