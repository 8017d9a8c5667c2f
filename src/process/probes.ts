import type { App } from './listen.ts';
import { problemResponse, RETRY_LATER } from './problem.ts';
import type { Failure } from './problem.ts';

/** Tells whether a process may be given work. @returns what stands in the way; `null`: nothing */
type Readiness = () => Promise<string | null>;

/** Answers the probes of a process that has nothing else to answer, or not yet. */
export function createProbes(readiness: Readiness, otherwise: (path: string) => Promise<Failure>): App {
  return {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/healthz') return OK();
      if (pathname !== '/readyz') return problemResponse(await otherwise(pathname), pathname);
      const obstacle = await readiness();
      return obstacle === null ? OK() : problemResponse(unready(obstacle), pathname);
    },
  };
}

/** Says that a process takes no work now. */
function unready(message: string): Failure {
  return { code: 'UNAVAILABLE', status: 503, message, headers: RETRY_LATER };
}

const OK = (): Response => Response.json({ status: 'ok' });
