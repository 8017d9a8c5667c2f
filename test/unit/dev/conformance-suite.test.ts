import { expect, test } from 'vitest';
import { findConformanceSuite } from '../../../src/dev/conformance.ts';

test('an empty CONFORMANCE_DIR counts as unset', () => {
  expect(findConformanceSuite({ CONFORMANCE_DIR: '' })).toEqual(findConformanceSuite({}));
});
