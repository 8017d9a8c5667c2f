import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { CallEffect, CallRequest } from '../../../src/graph/run/effect.ts';
import { callCanceled, toCanceledCallFailure, toTaskFailure } from '../../../src/workflows/failures.ts';
import { aModelRequest, aToolRequest } from '../../support/builders/call-builders.ts';

type TimeoutType = TimeoutFailure['timeoutType'];

/** An activity that the server has given up. @param isRetry an attempt at it has failed before */
function givenUp(timeoutType: TimeoutType, isRetry = false): ActivityFailure {
  const timeout = new TimeoutFailure('activity timeout', undefined, timeoutType);
  timeout.failure = { message: 'activity timeout', ...(isRetry && { cause: { message: 'heartbeat timeout' } }) };
  return new ActivityFailure('Activity task timed out', 'callTool', 'k1', 'TIMEOUT', undefined, timeout);
}

function aCall(request: CallRequest, over: Partial<CallEffect> = {}): CallEffect {
  return { kind: 'call', key: 'k1', takeover: 0, node: 'pay', request, summary: 'pay', ...over };
}

const unsafe = aCall(aToolRequest({ effect: 'unsafe' }));
const keyed = aCall(aToolRequest({ effect: 'keyed' }));

describe('a call that timed out at the server', () => {
  test.each<[TimeoutType, boolean]>([
    ['SCHEDULE_TO_CLOSE', false],
    ['START_TO_CLOSE', false],
    ['HEARTBEAT', false],
    ['SCHEDULE_TO_CLOSE', true],
    ['SCHEDULE_TO_START', true],
  ])(
    'a call that timed out at the server has an unknown outcome if it is unsafe and may have begun (%s, tried before: %s)',
    (timeoutType, isRetry) => {
      expect(toTaskFailure(unsafe, givenUp(timeoutType, isRetry))).toMatchObject({
        error: { code: 'UNKNOWN_OUTCOME' },
      });
    },
  );

  test('a call that timed out at the server fails with TIMEOUT if it is unsafe and no worker has taken it', () => {
    const message = 'No worker took the call in time';
    expect(toTaskFailure(unsafe, givenUp('SCHEDULE_TO_START'))).toMatchObject({ error: { code: 'TIMEOUT', message } });
  });

  test('a call that timed out at the server is known to have failed if no worker has taken it, unless it repeats an earlier call', () => {
    const failureOf = (takeover: number) => toTaskFailure({ ...keyed, takeover }, givenUp('SCHEDULE_TO_START'));
    const attempts = { error: { attempts: 0 } };
    expect([failureOf(0), failureOf(1)]).toMatchObject([
      { callFailed: true, ...attempts },
      { callFailed: false, ...attempts },
    ]);
    expect(toTaskFailure(keyed, givenUp('START_TO_CLOSE'))).toMatchObject({ callFailed: false });
  });

  test.each([aModelRequest(), aToolRequest({ effect: 'keyed' }), aToolRequest({ effect: 'idempotent' })])(
    'a call that timed out at the server fails with TIMEOUT if it may be repeated',
    (request) => {
      expect(toTaskFailure(aCall(request), givenUp('START_TO_CLOSE'))).toMatchObject({ error: { code: 'TIMEOUT' } });
    },
  );
});

describe('a canceled call', () => {
  const lost = { callFailed: false, error: { code: 'UNKNOWN_OUTCOME', message: 'lost' } };
  const answer = ApplicationFailure.create({ type: 'UNKNOWN_OUTCOME', details: [lost], nonRetryable: true });

  test('a canceled call is left to a person if it was possibly executed and can be neither repeated nor compensated', () => {
    expect(toCanceledCallFailure(unsafe, answer)).toEqual(lost);
    expect(toCanceledCallFailure({ ...keyed, isCompensable: true }, answer)).toEqual(lost);
  });

  test('a canceled call that can be repeated reports that it was possibly executed', () => {
    const error = { code: 'CANCELED', message: 'The call was canceled, and may have been made' };
    expect(toCanceledCallFailure(keyed, answer)).toEqual({ callFailed: false, error });
  });

  test('a canceled call is known to have failed if it has only waited, unless it repeats an earlier call', () => {
    expect([callCanceled(keyed), callCanceled({ ...keyed, takeover: 1 })]).toMatchObject([
      { failure: { callFailed: true } },
      { failure: { callFailed: false } },
    ]);
  });
});

describe('an activity failure whose details are no task failure', () => {
  test.each([
    { callFailed: true, error: { code: 'TOOL_FAILED' } },
    { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' }, usage: { inputTokens: 1 } },
    { error: { code: 'TOOL_FAILED', message: 'no' } },
  ])('an activity failure whose details are no task failure counts as a failure of the engine: %j', (detail) => {
    const thrown = ApplicationFailure.create({ message: 'lost', details: [detail] });
    expect(toTaskFailure(keyed, thrown)).toEqual({ callFailed: false, error: { code: 'INTERNAL', message: 'lost' } });
  });
});
