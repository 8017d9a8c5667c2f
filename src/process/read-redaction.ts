import { hideRunError, REDACTED } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Runs } from '../store/runs.ts';

/** Where the redaction of runs is stored. */
export interface RedactionSource {
  readonly runs: Pick<Runs, 'redactionOfRuns'>;
}

/** Reads what is hidden of a run. @returns `null` if that is unknown, so any text may contain a redacted value */
export async function readRedaction({ runs }: RedactionSource, runId: string): Promise<Redaction | null> {
  try {
    return (await runs.redactionOfRuns([runId])).get(runId) ?? null;
  } catch {
    return null;
  }
}

/** Returns why a run's workflow fails, as a log line may have it: redacted if it may quote a redacted value. */
export async function readVisibleReason(source: RedactionSource, runId: string, reason: string): Promise<string> {
  const redaction = await readRedaction(source, runId);
  return redaction ? hideRunError({ code: 'INTERNAL', message: reason }, redaction).message : REDACTED;
}
