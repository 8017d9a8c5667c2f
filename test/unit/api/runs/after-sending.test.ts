import { describe, expect, test } from 'vitest';
import { ApiError, unavailable } from '../../../../src/api/http/errors.ts';
import { afterSending } from '../../../../src/api/runs/after-sending.ts';
import { problemResponse } from '../../../../src/process/problem.ts';

describe('work after a decision or control was sent', () => {
  test('that finds something away says that the effect may come', async () => {
    const error = await afterSending(() => Promise.reject(unavailable('A worker of this run'))).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ApiError)) throw new TypeError('It is an answer of the API');
    const response = problemResponse(error, '/api/runs/r/cancel');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE', mayTakeEffect: true });
  });

  test('that is refused is refused', async () => {
    const refusal = new ApiError('NOT_ALLOWED_NOW', 'no');
    await expect(afterSending(() => Promise.reject(refusal))).rejects.toBe(refusal);
    expect(await problemResponse(refusal, '/').json()).not.toHaveProperty('mayTakeEffect');
  });
});
