import type { App } from '../listen.ts';
import { problemResponse, RETRY_LATER } from '../problem.ts';
import type { Failure } from '../problem.ts';
import type { Readiness } from './readiness.ts';

/** Answers `/healthz` and `/readyz`. @param otherwise tells why a process has no answer for any other path */
export function createProbes(readiness: Readiness, otherwise: (path: string) => Promise<Failure>): App {
  return {
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/healthz') return OK();
      if (pathname !== '/readyz') return problemResponse(await otherwise(pathname), pathname);
      const message = await readiness();
      return message === null ? OK() : problemResponse(unready(message), pathname);
    },
  };
}

function unready(message: string): Failure {
  return { code: 'UNAVAILABLE', status: 503, message, headers: RETRY_LATER };
}

const OK = (): Response => Response.json({ status: 'ok' });
