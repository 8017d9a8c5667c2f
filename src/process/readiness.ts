/** Tells why a process may not be given work now; `null`: it may. */
export type Readiness = () => Promise<string | null>;

export const SHUTTING_DOWN = 'The process is shutting down';

/** @param unavailable the dependencies that the process waits for */
export function startingUp(unavailable: ReadonlySet<string>): string {
  const names = [...unavailable].join(' and ');
  return names === '' ? 'The process starts' : `The process starts; it waits for ${names}`;
}

/** Checks by the name of a dependency; one that rejects, or is late, finds the dependency unavailable. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** A late answer to a probe counts as a failure. */
const CHECK_WITHIN_MS = 3_000;

/** Makes all checks. @returns the dependencies that are unavailable, in words; `null`: none */
export async function findUnavailable(checks: Checks): Promise<string | null> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await succeeds(check)) ? [] : [name])),
  );
  const names = found.flat();
  return names.length === 0 ? null : `${names.join(' and ')} can't be reached at the moment`;
}

async function succeeds(check: Checks[string]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_WITHIN_MS);
  });
  const checked = check().then(
    () => true,
    () => false,
  );
  const hasSucceeded = await Promise.race([checked, late]);
  clearTimeout(timer);
  return hasSucceeded;
}
