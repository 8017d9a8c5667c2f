import { messageOf } from '../../graph/values/index.ts';

/** One requirement of an installation. */
export interface DoctorCheck {
  readonly name: string;
  /** @returns what was found. @throws Error with the problem */
  readonly find: () => Promise<string | FoundWithWarnings>;
  /** The remedy. */
  readonly remedy: string;
}

/** What a check has found, with faults that do not fail it. */
export interface FoundWithWarnings {
  readonly found: string;
  readonly warnings: readonly string[];
}

/** The result of a check, as `holdfast doctor --json` prints it. */
export type CheckResult =
  | ({ readonly name: string; readonly ok: true } & FoundWithWarnings)
  | { readonly name: string; readonly ok: false; readonly problem: string; readonly remedy: string };

/** Makes a check. A problem is part of the result. */
export async function takeCheck({ name, find, remedy }: DoctorCheck): Promise<CheckResult> {
  try {
    const found = await find();
    return { name, ok: true, ...(typeof found === 'string' ? { found, warnings: [] } : found) };
  } catch (error) {
    return { name, ok: false, problem: messageOf(error), remedy };
  }
}

/** Formats the result of a check for people. */
export function formatCheck(result: CheckResult): string {
  const lines = result.ok
    ? [`ok    ${result.name}: ${result.found}`, ...result.warnings.map((warning) => `      warning: ${warning}`)]
    : [`FAIL  ${result.name}: ${result.problem}`, `      ${result.remedy}`];
  return lines.map((line) => `${line}\n`).join('');
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
