import { createGuardedRequest } from '../../../src/network/guarded-request.ts';
import { useLoopbackServer } from '../../support/doubles/use-loopback-server.ts';
import { guardSuite } from '../../support/suites/guard-suite.ts';

const server = await useLoopbackServer();

guardSuite(async (allow, { url, redirectedBy, signal = AbortSignal.timeout(5_000) }) => {
  const sentBy = redirectedBy === undefined ? undefined : new URL(redirectedBy);
  const request = { url: new URL(url), method: 'GET', headers: {}, body: null, signal };
  return await createGuardedRequest(allow)(request, sentBy);
}, server);
