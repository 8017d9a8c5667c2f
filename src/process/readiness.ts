import type { App } from './listen.ts';
import { problemResponse, RETRY_LATER } from './problem.ts';
import type { Failure } from './problem.ts';
import type { SemanticSearch } from '../store/memory/meaning.ts';
import { VectorsMissingError } from '../store/memory/memory-vectors.ts';

/** Returns why a process is not ready for work; `null` if it is ready. */
export type Readiness = () => Promise<string | null>;

export const SHUTTING_DOWN = 'The process is shutting down';

/** @param unavailable the dependencies that the process is waiting for */
export function startingUp(unavailable: ReadonlySet<string>): string {
  const names = [...unavailable].join(' and ');
  return names === '' ? 'The process starts' : `The process starts; it waits for ${names}`;
}

/** A dependency responds but lacks something, which the message names. */
export class NotReadyError extends Error {}

/** Checks by the names of dependencies. A dependency whose check rejects or times out is unavailable. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** Probes count a late response as a failure. */
const CHECK_WITHIN_MS = 3_000;

/** Runs all checks. @returns a text about what is unavailable or missing; `null` if all is well */
export async function findUnavailable(checks: Checks): Promise<string | null> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, result: await resultOf(check) })),
  );
  const away = found.flatMap(({ name, result }) => (result === 'away' ? [name] : []));
  const lacks = found.flatMap(({ result }) => (result instanceof NotReadyError ? [result.message] : []));
  const problems = away.length > 0 ? [`${away.join(' and ')} can't be reached at the moment`, ...lacks] : lacks;
  return problems.length === 0 ? null : problems.join('. ');
}

async function resultOf(check: Checks[string]): Promise<'done' | 'away' | NotReadyError> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'away'>((resolve) => {
    timer = setTimeout(() => resolve('away'), CHECK_WITHIN_MS);
  });
  const checked = check().then(
    () => 'done' as const,
    (error: unknown) => (error instanceof NotReadyError ? error : 'away'),
  );
  const result = await Promise.race([checked, late]);
  clearTimeout(timer);
  return result;
}

/** Serves `/healthz` and `/readyz`. @param otherwise the failure for any other path */
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

/**
 * Creates a check that the database supports vectors.
 * @param meaning `null` without an embedding model: the check then passes
 * @returns a check that throws NotReadyError for a database that does not support them
 */
export function createMeaningCheck(meaning: SemanticSearch | null): () => Promise<void> {
  return async () => {
    await meaning?.check().catch((error: unknown) => {
      throw error instanceof VectorsMissingError ? new NotReadyError(error.message, { cause: error }) : error;
    });
  };
}
