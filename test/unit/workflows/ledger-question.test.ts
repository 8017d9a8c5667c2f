import { ActivityFailure, ApplicationFailure, RetryState, ServerFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { CallEffect, CallRequest } from '../../../src/graph/run/effect.ts';
import type { TaskFailure } from '../../../src/graph/values/errors.ts';
import { questionAfterFailure } from '../../../src/workflows/calls.ts';
import { aModelRequest, aToolRequest } from '../../support/builders/call-builders.ts';

type TimeoutType = TimeoutFailure['timeoutType'];

function failedBy(cause: Error): ActivityFailure {
  return new ActivityFailure('Activity task failed', 'callTool', 'k1', RetryState.TIMEOUT, undefined, cause);
}

function timedOut(timeoutType: TimeoutType): ActivityFailure {
  const timeout = new TimeoutFailure('activity timeout', undefined, timeoutType);
  timeout.failure = { message: 'activity timeout' };
  return failedBy(timeout);
}

function aCall(request: CallRequest, over: Partial<CallEffect> = {}): CallEffect {
  return { kind: 'call', key: 'k1', takeover: 0, node: 'pay', request, summary: 'pay', ...over };
}

/** The end of an activity by an attempt, or the ledger's answer. */
function tells(failure: TaskFailure, nonRetryable = true): ActivityFailure {
  const { code, message } = failure.error;
  return failedBy(ApplicationFailure.create({ type: code, message, details: [failure], nonRetryable }));
}

const keyed = aCall(aToolRequest({ effect: 'keyed' }));
const unsafe = aCall(aToolRequest({ effect: 'unsafe' }));
const compensable = aCall(aToolRequest({ effect: 'idempotent' }), { isCompensable: true });
const TIMEOUTS: readonly TimeoutType[] = ['SCHEDULE_TO_CLOSE', 'START_TO_CLOSE', 'HEARTBEAT', 'SCHEDULE_TO_START'];
const ACCOUNTABLE = { keyed, unsafe, compensable };

describe('questions to the ledger', () => {
  test.each(Object.entries(ACCOUNTABLE))(
    'the ledger is asked about a call after each timeout if the call is %s',
    (_, call) => {
      for (const timeoutType of TIMEOUTS) {
        const givenUp = { code: 'TIMEOUT', message: expect.stringContaining('No worker') };
        expect(questionAfterFailure(call, timedOut(timeoutType), false)).toMatchObject({ givenUp });
        expect(questionAfterFailure(call, timedOut(timeoutType), true)).not.toHaveProperty('givenUp');
      }
    },
  );

  const refused: TaskFailure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'refused' } };

  test.each([
    ['an attempt that could not begin yet', failedBy(ApplicationFailure.create({ type: 'IN_PROGRESS', message: 'm' }))],
    ['a failure that another attempt was to follow', tells(refused, false)],
    ['a refusal by the server', failedBy(new ServerFailure('too large', true))],
  ])('the ledger is asked about a call whose last report to the server was %s', (_, failure) => {
    expect(questionAfterFailure(keyed, failure, false)).not.toBeNull();
  });

  test.each([
    ['a call that is known to have failed', { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } }, false],
    ['a call with an unknown outcome', { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'no' } }, false],
    [
      'a failed call that was possibly executed',
      { callFailed: false, error: { code: 'TOOL_FAILED', message: 'no' } },
      true,
    ],
  ] as const)(
    'the ledger is asked about a call after an attempt has reported %s, at most if the call was canceled',
    (_, failure, expected) => {
      const isAsked = (isCanceled: boolean) => questionAfterFailure(keyed, tells(failure), isCanceled) !== null;
      expect([isAsked(false), isAsked(true)]).toEqual([false, expected]);
    },
  );

  test.each([aModelRequest(), aToolRequest({ effect: 'idempotent' })])(
    'the ledger is never asked about a call that may be repeated',
    (request) => {
      for (const isCanceled of [false, true])
        expect(questionAfterFailure(aCall(request), timedOut('START_TO_CLOSE'), isCanceled)).toBeNull();
    },
  );
});

describe('the ledger’s answers about abandoned calls', () => {
  const failureOf = (
    call: CallEffect,
    answer: TaskFailure,
    timeoutType: TimeoutType = 'SCHEDULE_TO_CLOSE',
  ): TaskFailure | undefined => questionAfterFailure(call, timedOut(timeoutType), false)?.failureIn(tells(answer));

  test.each([true, false])(
    'the ledger’s answer about an abandoned call is used if the call has failed (known to be undone: %s)',
    (callFailed) => {
      const answer: TaskFailure = { callFailed, error: { code: 'TOOL_FAILED', message: 'refused', attempts: 3 } };
      for (const call of Object.values(ACCOUNTABLE)) expect(failureOf(call, answer)).toEqual(answer);
    },
  );

  test('the ledger’s unknown outcome of an abandoned call leaves the timeout, unless a person must settle the call', () => {
    const unknown: TaskFailure = { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'lost' } };
    const timeout = { callFailed: false, error: { code: 'TIMEOUT' } };
    expect([keyed, compensable].map((call) => failureOf(call, unknown))).toMatchObject([timeout, timeout]);
    expect(failureOf(unsafe, unknown)).toEqual(unknown);
  });

  test('the ledger’s answer about an abandoned call is used if the call was possibly executed, although the server knows of no attempt', () => {
    const unknown: TaskFailure = { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'lost' } };
    const failure = { callFailed: false, error: { code: 'TIMEOUT', message: 'No worker took the call in time' } };
    expect(failureOf(keyed, unknown, 'SCHEDULE_TO_START')).toMatchObject(failure);
  });
});
