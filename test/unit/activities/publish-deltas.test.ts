import { expect, test, vi } from 'vitest';
import { createPublishDeltas } from '../../../src/activities/open-deltas.ts';
import type { Deltas } from '../../../src/store/deltas.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { aDelta } from '../../support/builders/store-builders.ts';

test('an unavailable database is logged once while model text is published, and fails no call', async () => {
  const logger = createLogger('silent');
  const warn = vi.spyOn(logger, 'warn');
  const publish = vi.fn<Deltas['publish']>(async () => await Promise.reject(new Error('away')));
  const tell = createPublishDeltas({ publish }, logger);
  tell('R', [aDelta()]);
  tell('R', [aDelta({ index: 1 })]);
  await expect.poll(() => warn.mock.calls.length).toBe(1);
  await Promise.allSettled(publish.mock.results.map(({ value }) => value));
  expect([publish.mock.calls.length, warn.mock.calls.length]).toEqual([2, 1]);
});
