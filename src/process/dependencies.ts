/** What a process needs for its work, by name, and how it is looked for. */
export type Dependencies = Readonly<Record<string, () => Promise<unknown>>>;

/** What stands in the way of a process that ends. */
export const SHUTTING_DOWN = 'The process is shutting down';

/** What stands in the way of a process that starts. */
export function startingFor(awaited: ReadonlySet<string>): string {
  return awaited.size === 0 ? 'The process starts' : `The process starts; it waits for ${[...awaited].join(' and ')}`;
}

/** A probe that is answered late counts as failed. */
const LOOK_WITHIN_MS = 3_000;

/** Looks for everything that is needed. @returns what stands in the way of work; `null`: nothing */
export async function findUnavailable(needs: Dependencies): Promise<string | null> {
  const looks = Object.entries(needs).map(async ([name, look]) => ((await isThere(look)) ? [] : [name]));
  const missing = (await Promise.all(looks)).flat();
  return missing.length === 0 ? null : `${missing.join(' and ')} can't be reached at the moment`;
}

async function isThere(look: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), LOOK_WITHIN_MS);
  });
  const found = look().then(
    () => true,
    () => false,
  );
  const isFound = await Promise.race([found, late]);
  clearTimeout(timer);
  return isFound;
}
