import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { printRetries } from '../../../../src/cli/runs/run.ts';
import { createClient } from '../../../../src/client/index.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-02T03:04:05Z') }));
afterEach(() => void vi.useRealTimers());

const retry = (attempt: number, message: string) => ({
  node: 'pay',
  attempt,
  lastError: { code: 'TOOL_FAILED', message },
  nextAttemptAt: '2026-01-02T03:04:09Z',
});

test('the CLI prints each retried attempt once, also after a failed request', async () => {
  const answers = [[retry(2, 'shop is down')], [retry(2, 'shop is down')], null, [retry(3, 'still down')], []];
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    token: 'token',
    fetch: async () => {
      const retrying = answers.shift();
      if (retrying === null) throw new TypeError('refused');
      return Response.json({ id: 'r', retrying: retrying ?? [] });
    },
  });
  const lines: string[] = [];
  const stop = printRetries(client, 'r', (line) => lines.push(line.trim()));
  await vi.advanceTimersByTimeAsync(10_000);
  stop();
  expect(lines).toEqual([
    'Node pay makes attempt 2 of a call at 2026-01-02T03:04:09Z, after TOOL_FAILED shop is down',
    'Node pay makes attempt 3 of a call at 2026-01-02T03:04:09Z, after TOOL_FAILED still down',
  ]);
  const left = answers.length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(answers).toHaveLength(left);
});
