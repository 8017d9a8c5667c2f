import type { PublicApproval } from '../../graph/run/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import type { TaskFailureCause } from '../../store/failing-runs.ts';
import type { SwitchKind } from '../../store/rulings/rulings-tables.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { toRunJson } from '../runs/run-json.ts';

/** What an explanation is made of, without what is hidden from its reader. */
export interface Facts {
  readonly run: ShownRun;
  /** Those that are pending. */
  readonly approvals: readonly AskedApproval[];
  /** The person or node that has paused or canceled the run; `null`: none has, or it is not told. */
  readonly stopped: Stop | null;
  /** The run waits in the queue of its thread. */
  readonly queue: { readonly aheadRunId: string | null } | null;
  /** Temporal has a workflow that takes signals. */
  readonly isLive: boolean;
  /** The run's workflow task fails, or will; `null`: no worker has noted it. */
  readonly failing: FailingTask | null;
  /** What keeps a failed run from going on itself, so that it can only be forked; `null`: nothing does, or it has not failed. */
  readonly onlyForked: OnlyForked | null;
  /** What the reader may not skip, as others decide its approvals: ids of interventions, or the node that has failed the run. */
  readonly heldFromReader: ReadonlySet<string>;
  /** At which the run stands; `null`: it has not begun. */
  readonly checkpoint: string | null;
  /** `null`: the run has none. */
  readonly deadline: NonNullable<RunRecord['view']>['deadline'] | null;
  /** What its next nodes use and an administrator has switched off. */
  readonly switchedOff: readonly OffThing[];
  /** Those of the reader. */
  readonly permissions: ReadonlySet<Permission>;
}

/** A failed run that can't go on itself. */
export interface OnlyForked {
  /** `stateless`: others have ended it, so that it has no state to be retried from. `undone`: its calls have been compensated. */
  readonly why: 'stateless' | 'undone';
  /** The newest that will do; `null`: it has none. */
  readonly checkpoint: string | null;
}

/** A workflow task that fails, as a worker has noted it. */
export interface FailingTask {
  readonly by: TaskFailureCause['by'];
  /** `null`: it is hidden, or the worker knows none. */
  readonly message: string | null;
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
