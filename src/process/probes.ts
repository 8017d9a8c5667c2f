import { notNow } from '../api/http/errors.ts';
import type { ApiError } from '../api/http/errors.ts';
import { problemResponse } from '../api/http/problem.ts';
import type { App } from './listen.ts';

/** Tells whether a process may be given work. @returns what stands in the way; `null`: nothing */
type Readiness = () => Promise<string | null>;

/** Answers the probes of a process that has nothing else to answer, or not yet. */
export function createProbes(readiness: Readiness, otherwise: (path: string) => Promise<ApiError>): App {
  return {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/healthz') return OK();
      if (pathname !== '/readyz') return problemResponse(await otherwise(pathname), pathname);
      const obstacle = await readiness();
      return obstacle === null ? OK() : problemResponse(notNow(obstacle), pathname);
    },
  };
}

const OK = (): Response => Response.json({ status: 'ok' });
