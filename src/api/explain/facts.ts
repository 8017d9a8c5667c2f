import type { PublicApproval } from '../../graph/run/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import type { SwitchKind } from '../../store/rulings/rulings-tables.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { toRunJson } from '../runs/run-json.ts';

/** What an explanation is made of, without what is hidden from its reader. */
export interface Facts {
  readonly run: ShownRun;
  /** Those that are pending. */
  readonly approvals: readonly AskedApproval[];
  /** The person or node that has paused or canceled the run; `null`: nobody has, or it is not told. */
  readonly stopped: Stop | null;
  /** The run waits in the queue of its thread. */
  readonly queue: { readonly aheadRunId: string | null } | null;
  /** Temporal has a workflow that takes signals. */
  readonly isLive: boolean;
  /** The run's workflow task fails; the message is `null` where it is hidden, or nobody knows. */
  readonly failing: { readonly message: string | null } | null;
  /** Where a failed run that can only be forked goes on from; `null`: it has not failed, or can be retried. */
  readonly forkedFrom: { readonly checkpoint: string | null } | null;
  /** `null`: the run has none. */
  readonly deadline: NonNullable<RunRecord['view']>['deadline'] | null;
  /** What its next nodes use and an administrator has switched off. */
  readonly switchedOff: readonly OffThing[];
  /** Those of the reader. */
  readonly permissions: ReadonlySet<Permission>;
}

/** A tool, model or other code that is switched off, and the nodes at work that wait for it. */
export interface OffThing {
  readonly kind: SwitchKind;
  readonly name: string;
  readonly reason: string;
  readonly since: string;
  /** False: the nodes may be at another call. */
  readonly isSure: boolean;
  readonly nodes: readonly string[];
  /** The keys of the open calls of it, the oldest first; none where the history does not tell of them yet. */
  readonly calls: readonly string[];
}

/** A run as a caller sees it. */
export type ShownRun = ReturnType<typeof toRunJson>;

/** A pending approval as a caller sees it. */
export interface AskedApproval {
  readonly approval: PublicApproval;
  /** Its policy lets the caller decide it. */
  readonly isOwn: boolean;
}

export interface Stop {
  readonly by: string;
  readonly reason: string | null;
  readonly at: string;
}
