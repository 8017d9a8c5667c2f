import { beforeEach, expect, test } from 'vitest';
import type { LocalOutcome } from '../../../src/activities/calls/call-task.ts';
import type { JournalBatch } from '../../../src/graph/journal/batch.ts';
import type { ToolCallRequest } from '../../../src/graph/run/effect.ts';
import { createCallGate } from '../../../src/workflows/call-gate.ts';
import type { CallGate, LocalCall } from '../../../src/workflows/call-gate.ts';
import { aJournalBatch, aPolicy, aToolRequest } from '../../support/builders/call-builders.ts';

const aCall = (key: string, over: Partial<ToolCallRequest> = {}) => ({
  kind: 'call' as const,
  key,
  takeover: 0,
  node: 'look',
  summary: 'look',
  request: aToolRequest({ effect: 'idempotent', ...over }),
});
const aLocalCall = (key: string) => aCall(key, { execution: 'local', policy: aPolicy({ timeoutMs: 1_000 }) });

let begun: LocalCall[] = [];
let started: string[] = [];
let handled: string[] = [];
let resumes: (() => void)[] = [];
let historyLength = 0;
beforeEach(() => {
  [begun, started, handled, resumes, historyLength] = [[], [], [], [], 3];
});

const open = (defersCalls: (openCalls: number) => boolean = () => false, batch: JournalBatch | null = null) =>
  createCallGate({
    continueAsNewPolicy: { defersCalls },
    openCalls: () => started.length,
    historyLength: () => historyLength,
    begin(call) {
      if (call.kind === 'local') begun.push(call);
      started.push(call.effect.key);
      return batch;
    },
    inLaterTask: { local: (resume) => void resumes.push(resume), activity: (resume) => void resumes.push(resume) },
  });

/** Begins another workflow task. */
function enterLaterTask(): void {
  historyLength += 3;
  for (const resume of resumes.splice(0)) resume();
}

/** Ends the local call that began last, or the one with a key. */
function end(calls: CallGate, outcome: LocalOutcome | null, key = started.at(-1)): void {
  const call = begun.find(({ effect }) => effect.key === key);
  if (call) calls.endLocal(call, { outcome, handle: () => void handled.push(call.effect.key) });
}

const made = (startedAt: number, endedAt: number, bytes = 100): LocalOutcome => ({
  kind: 'made',
  reply: { kind: 'value', value: null },
  attempts: 1,
  startedAt,
  endedAt,
  bytes,
});

test('local calls of a workflow task begin at once and in order until the time of the burst is over', () => {
  const calls = open();
  calls.request(aLocalCall('a'));
  end(calls, made(1_000, 1_999));
  calls.request(aLocalCall('b'));
  expect([started, resumes.length, calls.isCallingLocally()]).toEqual([['a', 'b'], 0, true]);
});

test('a burst of local calls ends after a second, and the next call waits for another workflow task', () => {
  const calls = open();
  calls.request(aLocalCall('a'));
  end(calls, made(1_000, 1_500));
  calls.request(aLocalCall('b'));
  end(calls, made(1_900, 2_000));
  calls.request(aLocalCall('c'));
  expect([started, resumes.length]).toEqual([['a', 'b'], 1]);
  for (const resume of resumes) resume();
  expect([started, calls.isCallingLocally()]).toEqual([['a', 'b', 'c'], true]);
});

test('the results of a round of local calls are processed after its last call has ended, in order of the beginnings', () => {
  const calls = open();
  for (const key of ['a', 'b', 'c']) calls.request(aLocalCall(key));
  end(calls, made(0, 10), 'c');
  end(calls, null, 'a');
  expect([handled, calls.isCallingLocally()]).toEqual([[], true]);
  end(calls, made(0, 20), 'b');
  expect([handled, calls.isCallingLocally()]).toEqual([['a', 'b', 'c'], false]);
});

test('a long round of local calls ends the burst, and calls requested meanwhile join the round', () => {
  const calls = open();
  for (const key of ['a', 'b']) calls.request(aLocalCall(key));
  end(calls, made(0, 1_500), 'a');
  calls.request(aLocalCall('c'));
  end(calls, made(0, 1_600), 'b');
  expect([started, resumes.length]).toEqual([['a', 'b', 'c'], 0]);
  calls.request(aLocalCall('d'));
  end(calls, made(0, 1_700), 'c');
  end(calls, made(0, 1_800), 'd');
  calls.request(aLocalCall('e'));
  expect([started.length, resumes.length]).toEqual([4, 1]);
});

test('local call results that fill a request to the server end the burst', () => {
  const calls = open();
  for (let at = 0; at < 60; at++) {
    calls.request(aLocalCall(String(at)));
    end(calls, made(0, 1, 65_536));
  }
  expect([started.length, resumes.length]).toEqual([18, 1]);
});

test('failed local calls take time and bytes of a burst like successful ones', () => {
  const failed = (endedAt: number, message: string): LocalOutcome => ({
    kind: 'failed',
    failure: { callFailed: true, error: { code: 'TOOL_FAILED', message } },
    startedAt: 0,
    endedAt,
  });
  const calls = open();
  calls.request(aLocalCall('a'));
  end(calls, failed(1_000, 'no'));
  calls.request(aLocalCall('b'));
  expect([started, resumes.length]).toEqual([['a'], 1]);
  for (const resume of resumes) resume();
  for (let at = 0; at < 1_000; at++) {
    end(calls, failed(1, 'x'.repeat(1_000)));
    calls.request(aLocalCall(String(at)));
  }
  expect(resumes).toHaveLength(2);
  expect(started.length).toBeLessThan(700);
});

test('the number of open local calls is limited, so that their results fit into one request', () => {
  const calls = open();
  for (let at = 0; at < 60; at++) calls.request(aLocalCall(String(at)));
  expect([started.length, resumes.length]).toEqual([18, 0]);
  for (const key of started.slice(1)) end(calls, made(0, 1), key);
  expect(started).toHaveLength(18);
  end(calls, made(0, 1), '0');
  expect(started).toHaveLength(36);
});

test('an activity call does not wait for local calls that were requested later', () => {
  const calls = open();
  calls.request(aCall('by an activity'));
  calls.request(aLocalCall('a'));
  end(calls, made(0, 1));
  calls.request(aLocalCall('b'));
  expect([started, resumes.length]).toEqual([['by an activity', 'a'], 1]);
});

test('a message of the Temporal server begins another burst of local calls', () => {
  const calls = open();
  calls.request(aCall('by an activity'));
  calls.request(aLocalCall('a'));
  end(calls, made(0, 5_000));
  calls.enterTask();
  calls.request(aLocalCall('b'));
  expect([started, resumes.length]).toEqual([['by an activity', 'a', 'b'], 0]);
});

test('waiting local calls are canceled: all of them, or one', () => {
  const calls = open();
  calls.request(aLocalCall('a'));
  end(calls, made(0, 5_000));
  for (const key of ['b', 'c', 'd']) calls.request(aLocalCall(key));
  expect(calls.cancel('c').waiting.map(({ key }) => key)).toEqual(['c']);
  expect(calls.cancel().waiting.map(({ key }) => key)).toEqual(['b', 'd']);
  expect(calls.isCallingLocally()).toBe(false);
  for (const resume of resumes) resume();
  expect(started).toEqual(['a']);
});

const large = 'x'.repeat(60_000);

test('activity calls begin until they fill one request to the server; the others begin in later workflow tasks', () => {
  const calls = open();
  for (let at = 0; at < 45; at++) calls.request(aCall(String(at), { args: { large } }));
  expect([started.length, resumes.length]).toEqual([20, 1]);
  enterLaterTask();
  expect([started.length, resumes.length]).toEqual([40, 1]);
  enterLaterTask();
  expect(started).toEqual(Array.from({ length: 45 }, (_, at) => String(at)));
  expect(resumes).toEqual([]);
});

test('small activity requests are measured, so many of them begin in one workflow task', () => {
  const calls = open();
  for (let at = 0; at < 200; at++) calls.request(aCall(String(at)));
  expect(started).toHaveLength(200);
});

test('a small activity call does not overtake larger waiting calls', () => {
  const calls = open();
  for (let at = 0; at < 21; at++) calls.request(aCall(String(at), { args: { large } }));
  calls.request(aCall('small'));
  expect([started.length, started.includes('small')]).toEqual([20, false]);
  enterLaterTask();
  expect(started.slice(20)).toEqual(['20', 'small']);
});

test('waiting activity calls are canceled: all of them, or one', () => {
  const calls = open();
  for (let at = 0; at < 23; at++) calls.request(aCall(String(at), { args: { large } }));
  expect(calls.cancel('21').waiting.map(({ key }) => key)).toEqual(['21']);
  expect(calls.cancel().waiting.map(({ key }) => key)).toEqual(['20', '22']);
  enterLaterTask();
  expect(started).toHaveLength(20);
});

test.each([aCall('a'), aLocalCall('a')])('before continue-as-new, a call is left to the next execution: %o', (call) => {
  const calls = open(() => true);
  expect([calls.request(call), started, calls.isCallingLocally()]).toEqual([false, [], false]);
  expect(calls.deferred()).toEqual([call]);
  expect(calls.cancel('b')).toEqual({ deferred: [], waiting: [] });
  expect(calls.cancel('a')).toEqual({ deferred: [call], waiting: [] });
  expect(calls.deferred()).toEqual([]);
});

test('a call that an execution has accepted is not left to the next execution', () => {
  let isOver = false;
  const calls = open(() => isOver);
  for (let at = 0; at < 21; at++) calls.request(aCall(String(at), { args: { large } }));
  isOver = true;
  enterLaterTask();
  expect([started.length, calls.deferred()]).toEqual([21, []]);
});

test('an activity continues a local call, and later local calls wait for another workflow task', () => {
  const calls = open();
  calls.request(aLocalCall('a'));
  calls.continueInActivity({ kind: 'activity', effect: aCall('left'), left: null });
  expect(started).toEqual(['a', 'left']);
  end(calls, made(0, 1), 'a');
  calls.request(aLocalCall('b'));
  expect([started, resumes.length]).toEqual([['a', 'left'], 1]);
});

test.each<[string, JournalBatch | null, number]>([
  ['without a journal batch', null, 100],
  ['with small batches', aJournalBatch(), 100],
  [
    'with batches of 64 KiB',
    aJournalBatch({ endedState: null, view: { ...aJournalBatch().view, output: 'x'.repeat(70_000) } }),
    19,
  ],
])('small activity calls %s begin in one workflow task as long as its request has room', (_what, batch, count) => {
  const calls = open(() => false, batch);
  for (let number = 0; number < 100; number += 1) calls.request(aCall(`${number}`));
  expect(started).toHaveLength(count);
  enterLaterTask();
  expect(started.length).toBeGreaterThanOrEqual(Math.min(100, 2 * count));
});
