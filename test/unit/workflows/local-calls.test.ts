import { beforeEach, expect, test } from 'vitest';
import type { LocalOutcome } from '../../../src/activities/calls/call-task.ts';
import { createLocalCalls } from '../../../src/workflows/local-calls.ts';
import type { LocalCalls } from '../../../src/workflows/local-calls.ts';
import { aToolRequest } from '../../support/builders/call-builders.ts';

const aCall = (key: string) => ({
  effect: { kind: 'call', key, takeover: 0, node: 'look', summary: 'look', request: aToolRequest() } as const,
});

type Call = ReturnType<typeof aCall>;

let begun: Call[] = [];
let started: string[] = [];
let taken: string[] = [];
let resumes: (() => void)[] = [];
beforeEach(() => {
  [begun, started, taken, resumes] = [[], [], [], []];
});

const open = () =>
  createLocalCalls<Call>({
    start(call) {
      begun.push(call);
      started.push(call.effect.key);
    },
    pause: (resume) => void resumes.push(resume),
  });

/** Ends the call that began last, or the one with a key. */
function end(calls: LocalCalls<Call>, outcome: LocalOutcome | null, key = started.at(-1)): void {
  const call = begun.find(({ effect }) => effect.key === key);
  if (call) calls.ended(call, { outcome, take: () => void taken.push(call.effect.key) });
}

const made = (startedAt: number, endedAt: number, bytes = 100): LocalOutcome => ({
  kind: 'made',
  reply: { kind: 'value', value: null },
  attempts: 1,
  startedAt,
  endedAt,
  bytes,
});

test('calls begin at once and in order, as long as the burst is young', () => {
  const calls = open();
  calls.schedule(aCall('a'));
  end(calls, made(1_000, 1_999));
  calls.schedule(aCall('b'));
  expect([started, resumes.length, calls.isBusy()]).toEqual([['a', 'b'], 0, true]);
});

test('a burst ends after a second, and the next call waits for another workflow task', () => {
  const calls = open();
  calls.schedule(aCall('a'));
  end(calls, made(1_000, 1_500));
  calls.schedule(aCall('b'));
  end(calls, made(1_900, 2_000));
  calls.schedule(aCall('c'));
  expect([started, resumes.length]).toEqual([['a', 'b'], 1]);
  for (const resume of resumes) resume();
  expect([started, calls.isBusy()]).toEqual([['a', 'b', 'c'], true]);
});

test('ends are taken when all calls of a round have ended, in the order in which they began', () => {
  const calls = open();
  for (const key of ['a', 'b', 'c']) calls.schedule(aCall(key));
  end(calls, made(0, 10), 'c');
  end(calls, null, 'a');
  expect([taken, calls.isBusy()]).toEqual([[], true]);
  end(calls, made(0, 20), 'b');
  expect([taken, calls.isBusy()]).toEqual([['a', 'b', 'c'], false]);
});

test('a round that took long ends the burst; what is asked for meanwhile joins the round', () => {
  const calls = open();
  for (const key of ['a', 'b']) calls.schedule(aCall(key));
  end(calls, made(0, 1_500), 'a');
  calls.schedule(aCall('c'));
  end(calls, made(0, 1_600), 'b');
  expect([started, resumes.length]).toEqual([['a', 'b', 'c'], 0]);
  calls.schedule(aCall('d'));
  end(calls, made(0, 1_700), 'c');
  end(calls, made(0, 1_800), 'd');
  calls.schedule(aCall('e'));
  expect([started.length, resumes.length]).toEqual([4, 1]);
});

test('results that fill a request to the server end it, too', () => {
  const calls = open();
  for (let at = 0; at < 60; at++) {
    calls.schedule(aCall(String(at)));
    end(calls, made(0, 1, 65_536));
  }
  expect([started.length, resumes.length]).toEqual([18, 1]);
});

test('failures take time and room as results do', () => {
  const failed = (endedAt: number, message: string): LocalOutcome => ({
    kind: 'failed',
    failure: { callFailed: true, error: { code: 'TOOL_FAILED', message } },
    startedAt: 0,
    endedAt,
  });
  const calls = open();
  calls.schedule(aCall('a'));
  end(calls, failed(1_000, 'no'));
  calls.schedule(aCall('b'));
  expect([started, resumes.length]).toEqual([['a'], 1]);
  for (const resume of resumes) resume();
  for (let at = 0; at < 1_000; at++) {
    end(calls, failed(1, 'x'.repeat(1_000)));
    calls.schedule(aCall(String(at)));
  }
  expect(resumes).toHaveLength(2);
  expect(started.length).toBeLessThan(700);
});

test('only so many calls are open that their results fit into one request', () => {
  const calls = open();
  for (let at = 0; at < 60; at++) calls.schedule(aCall(String(at)));
  expect([started.length, resumes.length]).toEqual([18, 0]);
  for (const key of started.slice(1)) end(calls, made(0, 1), key);
  expect(started).toHaveLength(18);
  end(calls, made(0, 1), '0');
  expect(started).toHaveLength(36);
});

test('a call that an activity makes does not wait for local ones that come after it', () => {
  const calls = open();
  calls.othersWait();
  calls.schedule(aCall('a'));
  end(calls, made(0, 1));
  calls.schedule(aCall('b'));
  expect([started, resumes.length]).toEqual([['a'], 1]);
});

test('news from the server begin another burst', () => {
  const calls = open();
  calls.othersWait();
  calls.schedule(aCall('a'));
  end(calls, made(0, 5_000));
  calls.enterTask();
  calls.schedule(aCall('b'));
  expect([started, resumes.length]).toEqual([['a', 'b'], 0]);
});

test('calls that wait are canceled, all or one', () => {
  const calls = open();
  calls.schedule(aCall('a'));
  end(calls, made(0, 5_000));
  for (const key of ['b', 'c', 'd']) calls.schedule(aCall(key));
  expect(calls.cancel('c').map(({ effect }) => effect.key)).toEqual(['c']);
  expect(calls.cancel().map(({ effect }) => effect.key)).toEqual(['b', 'd']);
  expect(calls.isBusy()).toBe(false);
  for (const resume of resumes) resume();
  expect(started).toEqual(['a']);
});
