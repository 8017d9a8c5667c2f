/** Tells why a process may not be given work now; `null`: it may. */
export type Readiness = () => Promise<string | null>;

export const SHUTTING_DOWN = 'The process is shutting down';

/** @param unavailable the dependencies that the process waits for */
export function startingUp(unavailable: ReadonlySet<string>): string {
  const names = [...unavailable].join(' and ');
  return names === '' ? 'The process starts' : `The process starts; it waits for ${names}`;
}

/** A dependency answers and lacks something; the message says what. */
export class NotReadyError extends Error {}

/** Checks by the name of a dependency; one that rejects, or is late, finds the dependency unavailable. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** A late answer to a probe counts as a failure. */
const CHECK_WITHIN_MS = 3_000;

/** Makes all checks. @returns what is unavailable or missing, in words; `null`: nothing */
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
