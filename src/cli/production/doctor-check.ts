/** One requirement of an installation. */
export interface DoctorCheck {
  readonly name: string;
  /** @returns what was found. @throws Error with the problem */
  readonly find: () => Promise<string>;
  /** The remedy. */
  readonly remedy: string;
}

/** The installation to check. */
export interface Installation {
  readonly environment: NodeJS.ProcessEnv;
  /** The configuration file; `undefined` if there is none. */
  readonly configFile: string | undefined;
}

const MAX_SKEW_MS = 5_000;

/** Compares another clock with that of this machine. @throws Error when they differ by more than 5 seconds */
export function checkClock(whose: string, theirs: Date): void {
  const skewMs = Math.abs(theirs.getTime() - Date.now());
  if (skewMs > MAX_SKEW_MS) throw new Error(`${whose} clock and that of this machine differ by ${skewMs} ms`);
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Formats a retention in days, or in hours if it is no whole number of days. */
export function formatRetention(ms: number): string {
  if (ms === DAY_MS) return 'a day';
  return ms % DAY_MS === 0 ? `${ms / DAY_MS} days` : `${Math.round(ms / HOUR_MS)} hours`;
}
