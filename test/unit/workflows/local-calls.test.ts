import { beforeEach, expect, test } from 'vitest';
import type { LocalOutcome } from '../../../src/activities/calls/call-task.ts';
import { createLocalCalls } from '../../../src/workflows/local-calls.ts';
import { aToolRequest } from '../../support/builders/call-builders.ts';

const aCall = (key: string) => ({
  effect: { kind: 'call', key, takeover: 0, node: 'look', summary: 'look', request: aToolRequest() } as const,
});

let started: string[] = [];
let resumes: (() => void)[] = [];
beforeEach(() => {
  started = [];
  resumes = [];
});

const open = () =>
  createLocalCalls<ReturnType<typeof aCall>>({
    start: ({ effect }) => void started.push(effect.key),
    pause: (resume) => void resumes.push(resume),
  });

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
  calls.ended(made(1_000, 1_999));
  calls.schedule(aCall('b'));
  expect([started, resumes.length, calls.isBusy()]).toEqual([['a', 'b'], 0, true]);
});

test('a burst ends after a second, and the next call waits for another workflow task', () => {
  const calls = open();
  calls.schedule(aCall('a'));
  calls.ended(made(1_000, 1_500));
  calls.schedule(aCall('b'));
  calls.ended(made(1_900, 2_000));
  calls.schedule(aCall('c'));
  expect([started, resumes.length]).toEqual([['a', 'b'], 1]);
  for (const resume of resumes) resume();
  expect([started, calls.isBusy()]).toEqual([['a', 'b', 'c'], true]);
});

test('it ends once its open calls have ended, and no other begins before', () => {
  const calls = open();
  for (const key of ['a', 'b']) calls.schedule(aCall(key));
  calls.ended(made(0, 1_500));
  calls.schedule(aCall('c'));
  expect([started, resumes.length]).toEqual([['a', 'b'], 0]);
  calls.ended(made(0, 1_600));
  expect([started, resumes.length]).toEqual([['a', 'b'], 1]);
});

test('results that fill a request to the server end it, too', () => {
  const calls = open();
  for (let at = 0; at < 60; at++) {
    calls.schedule(aCall(String(at)));
    calls.ended(made(0, 1, 65_536));
  }
  expect([started.length, resumes.length]).toEqual([45, 1]);
});

test('only so many calls are open that their results fit into one request', () => {
  const calls = open();
  for (let at = 0; at < 60; at++) calls.schedule(aCall(String(at)));
  expect([started.length, resumes.length]).toEqual([45, 0]);
  calls.ended(made(0, 1));
  expect(started).toHaveLength(46);
});

test('a call that an activity makes does not wait for local ones that come after it', () => {
  const calls = open();
  calls.othersWait();
  calls.schedule(aCall('a'));
  calls.ended(made(0, 1));
  calls.schedule(aCall('b'));
  expect([started, resumes.length]).toEqual([['a'], 1]);
});

test('news from the server begin another burst', () => {
  const calls = open();
  calls.othersWait();
  calls.schedule(aCall('a'));
  calls.ended(made(0, 5_000));
  calls.enterTask();
  calls.schedule(aCall('b'));
  expect([started, resumes.length]).toEqual([['a', 'b'], 0]);
});

test('calls that wait are canceled, all or one', () => {
  const calls = open();
  calls.schedule(aCall('a'));
  calls.ended(made(0, 5_000));
  for (const key of ['b', 'c', 'd']) calls.schedule(aCall(key));
  expect(calls.cancel('c').map(({ effect }) => effect.key)).toEqual(['c']);
  expect(calls.cancel().map(({ effect }) => effect.key)).toEqual(['b', 'd']);
  expect(calls.isBusy()).toBe(false);
  for (const resume of resumes) resume();
  expect(started).toEqual(['a']);
});
