import { expect, test } from 'vitest';
import { findConformanceSuite } from '../../../src/dev/conformance.ts';

test('an empty environment variable CONFORMANCE_DIR counts as unset', () => {
  expect(findConformanceSuite({ CONFORMANCE_DIR: '' })).toEqual(findConformanceSuite({}));
});
