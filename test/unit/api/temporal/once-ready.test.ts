import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { onceReady } from '../../../../src/api/temporal/engine.ts';
import { PLAYED_ANEW } from '../../../../src/workflows/contract.ts';

const grpcError = (code: number, message = 'no'): Error => Object.assign(new Error(message), { code });

/** A query that fails with these errors before it is answered. */
function queryFailing(...errors: Error[]) {
  let asked = 0;
  const query = async (): Promise<string> => {
    asked += 1;
    const error = errors.shift();
    if (error) throw error;
    return 'here';
  };
  return { query, asked: () => asked };
}

test('a Temporal query is repeated while the workflow is busy, or its worker replays the run', async () => {
  const { query, asked } = queryFailing(
    new ServiceError('Failed to query Workflow', { cause: grpcError(9) }),
    grpcError(3, `${PLAYED_ANEW}: for some reason`),
  );
  expect(await onceReady(8_000, query)).toBe('here');
  expect(asked()).toBe(3);
});

test.each([
  ['that the workflow can not answer', grpcError(3, 'There is no such query')],
  ['that Temporal refuses', new ServiceError('Failed to query Workflow', { cause: grpcError(7) })],
])('a Temporal query %s is sent once', async (_, error) => {
  const { query, asked } = queryFailing(error);
  await expect(onceReady(8_000, query)).rejects.toBe(error);
  expect(asked()).toBe(1);
});

test('the last error of a repeated Temporal query is thrown when the time is up', async () => {
  const { query } = queryFailing(grpcError(8), grpcError(10));
  await expect(onceReady(0, query)).rejects.toMatchObject({ code: 8 });
});
