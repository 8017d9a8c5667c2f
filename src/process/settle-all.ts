/**
 * Waits for all requests, also after one has failed: a connection that is closed while another one is tried again ends the
 * process.
 * @throws the first failure
 */
export async function settleAll<T>(requests: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(requests);
  return await Promise.all(requests);
}
