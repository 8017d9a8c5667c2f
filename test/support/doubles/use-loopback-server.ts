import { afterAll, beforeEach } from 'vitest';
import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer } from './loopback-server.ts';

/** A server for all tests of a file; each of them finds it with an empty script, and without requests. */
export async function useLoopbackServer(): Promise<LoopbackServer> {
  const server = await startLoopbackServer();
  afterAll(() => server.stop());
  beforeEach(() => server.forget());
  return server;
}
