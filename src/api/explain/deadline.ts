import type { Facts } from './facts.ts';

/** The deadline of a run, and what happens then. */
export interface ExplainedDeadline {
  /** RFC 3339; `null`: it stands still. */
  readonly at: string | null;
  /** The time that is left where it stands still, or was when it began to run, in milliseconds. */
  readonly leftMs: number;
  readonly effect: string;
}

const THEN =
  'The run fails with DEADLINE_EXCEEDED, and what its graph says is to be undone is undone. If nothing was to be undone, a retry with a longer `limits.deadline` goes on; else only a fork does.';
const STILL = 'The time stands still while the run is paused or only waits for people.';

/** Says when the time of a run is over. */
export function explainDeadline({ deadline }: Pick<Facts, 'deadline'>): ExplainedDeadline | null {
  return deadline ? { ...deadline, effect: deadline.at === null ? `${STILL} ${THEN}` : THEN } : null;
}
