import { ActivityFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { toTaskFailure } from '../../../src/workflows/failures.ts';
import { aModelRequest, aToolRequest } from '../../support/builders/call-builders.ts';

type TimeoutType = TimeoutFailure['timeoutType'];

/** An activity that the server has given up. @param isRetry an attempt at it has failed before */
function givenUp(timeoutType: TimeoutType, isRetry = false): ActivityFailure {
  const timeout = new TimeoutFailure('activity timeout', undefined, timeoutType);
  timeout.failure = { message: 'activity timeout', ...(isRetry && { cause: { message: 'heartbeat timeout' } }) };
  return new ActivityFailure('Activity task timed out', 'callTool', 'k1', 'TIMEOUT', undefined, timeout);
}

const unsafe = aToolRequest({ effect: 'unsafe' });

describe('a call that timed out at the server', () => {
  test.each<[TimeoutType, boolean]>([
    ['SCHEDULE_TO_CLOSE', false],
    ['START_TO_CLOSE', false],
    ['HEARTBEAT', false],
    ['SCHEDULE_TO_CLOSE', true],
    ['SCHEDULE_TO_START', true],
  ])('has an unknown outcome if it is unsafe and may have begun (%s, tried before: %s)', (timeoutType, isRetry) => {
    expect(toTaskFailure(unsafe, givenUp(timeoutType, isRetry))).toMatchObject({ error: { code: 'UNKNOWN_OUTCOME' } });
  });

  test('has timed out if it is unsafe and no worker has taken it', () => {
    const message = 'No worker took the call in time';
    expect(toTaskFailure(unsafe, givenUp('SCHEDULE_TO_START'))).toMatchObject({ error: { code: 'TIMEOUT', message } });
  });

  test.each([aModelRequest(), aToolRequest({ effect: 'keyed' }), aToolRequest({ effect: 'idempotent' })])(
    'has timed out if it may be repeated',
    (request) => {
      expect(toTaskFailure(request, givenUp('START_TO_CLOSE'))).toMatchObject({ error: { code: 'TIMEOUT' } });
    },
  );
});
