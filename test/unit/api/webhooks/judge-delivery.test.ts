import { expect, test } from 'vitest';
import { RETRY_DELAYS_MS, judgeDelivery } from '../../../../src/api/webhooks/judge-delivery.ts';

const DAY_MS = 86_400_000;
const answered = (status: number | null, retryAfterMs: number | null = null) => ({ status, retryAfterMs });
const judge = (answer: ReturnType<typeof answered>, { failures = 0, jitter = 0 } = {}) =>
  judgeDelivery(answer, failures, RETRY_DELAYS_MS, jitter);

test.each<[number | null, string]>([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [199, 'again'],
  [301, 'again'],
  [404, 'again'],
  [410, 'gone'],
  [429, 'again'],
  [500, 'again'],
  [null, 'again'],
])('a webhook delivery with the status %s is %s', (status, kind) => {
  expect(judge(answered(status))).toMatchObject({ kind });
});

test('ten webhook delivery attempts take three days and some hours', () => {
  const results = Array.from({ length: 10 }, (_, failures) => judge(answered(500), { failures }));
  const pauses = results.flatMap((result) => (result.kind === 'again' ? [result.afterMs] : []));
  expect(pauses).toEqual(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000),
  );
  expect(results.at(-1)).toEqual({ kind: 'failed' });
});

test('pauses between webhook delivery attempts differ by up to a tenth', () => {
  expect(judge(answered(500), { jitter: 1 })).toEqual({ kind: 'again', afterMs: 5_500 });
});

test.each<[number, number, number]>([
  [429, 60_000, 60_000],
  [503, 60_000, 60_000],
  [500, 60_000, 5_000],
  [429, 1_000, 5_000],
  [429, 30 * DAY_MS, DAY_MS],
])(
  'a webhook delivery answered %i with Retry-After of %i ms is repeated after %i ms',
  (status, retryAfterMs, afterMs) => {
    expect(judge(answered(status, retryAfterMs))).toEqual({ kind: 'again', afterMs });
  },
);
