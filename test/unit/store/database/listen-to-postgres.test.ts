import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { listenToPostgres } from '../../../../src/store/database/postgres-dialect.ts';

/** No server listens on this port. */
const AWAY = 'postgres://holdfast@127.0.0.1:1/holdfast';

test('attempts to connect to an unavailable server leave no event listener behind', async () => {
  const signals: AbortSignal[] = [];
  const add = vi.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (
    this: AbortSignal,
    ...args
  ) {
    signals.push(this);
    EventTarget.prototype.addEventListener.apply(this, args);
  });
  const listening = listenToPostgres(AWAY)('runs', { received: () => undefined, opened: () => undefined });
  await expect.poll(() => signals.length).toBeGreaterThan(7);
  const [stopping] = signals;
  expect(stopping && getEventListeners(stopping, 'abort').length).toBeLessThanOrEqual(2);
  add.mockRestore();
  await listening.close();
});
