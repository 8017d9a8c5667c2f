import { afterAll, beforeEach } from 'vitest';
import { startLoopbackServer } from './loopback-server.ts';
import type { LoopbackServer } from './loopback-server.ts';

/** Starts a server for all tests of a file. Each test begins with an empty script and without requests. */
export async function useLoopbackServer(): Promise<LoopbackServer> {
  const server = await startLoopbackServer();
  afterAll(() => server.stop());
  beforeEach(() => server.forget());
  return server;
}
