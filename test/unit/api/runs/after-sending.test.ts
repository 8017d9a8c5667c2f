import { describe, expect, test } from 'vitest';
import { ApiError, unavailable } from '../../../../src/api/http/errors.ts';
import { afterSending } from '../../../../src/api/runs/send-signal.ts';
import { problemResponse } from '../../../../src/process/problem.ts';
import { DatabaseAwayError } from '../../../../src/store/database/database-away.ts';

describe('work after a decision or control was sent', () => {
  test.each([
    ['finds a dependency unavailable', unavailable('A worker of this run'), 'A worker of this run'],
    ['finds the database unavailable', new DatabaseAwayError('gone'), 'the database'],
    ['throws an unexpected error', new TypeError('A bug'), 'the server failed'],
  ])('work after a sent signal that %s reports that the signal possibly took effect', async (_, cause, reason) => {
    const error = await afterSending(() => Promise.reject(cause)).catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new TypeError('It is an answer of the API');
    const response = problemResponse(error, '/api/runs/r/cancel');
    expect([response.status, response.headers.get('retry-after'), error.cause]).toEqual([503, '5', cause]);
    const detail = expect.stringContaining(`: ${reason}`);
    expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE', detail, mayTakeEffect: true });
  });

  test('work after a sent signal that is refused reports the refusal', async () => {
    const refusal = new ApiError('NOT_ALLOWED_NOW', 'no');
    await expect(afterSending(() => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(await problemResponse(refusal, '/').json()).not.toHaveProperty('mayTakeEffect');
  });
});
