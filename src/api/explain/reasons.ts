import { isEnded } from '../../graph/run/index.ts';
import type { PublicApproval } from '../../graph/run/index.ts';
import { waitingReason } from '../../wording/index.ts';
import type { AwaitedApproval, Obstacle, Reason, Stop, SwitchedOff } from '../../wording/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import type { TaskFailureCause } from '../../store/failing-runs.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { toRunJson } from '../runs/run-json.ts';

/** What an explanation is made of, without what is hidden from its reader. */
export interface Facts {
  readonly run: ShownRun;
  /** Pending ones; of many, the oldest. */
  readonly approvals: readonly AskedApproval[];
  /** The person or node that has paused or canceled the run, and when; `null`: none has, or it is hidden. */
  readonly stopped: (Stop & { readonly at: string }) | null;
  /** The run waits in the queue of its thread. */
  readonly queue: { readonly aheadRunId: string | null } | null;
  /** Temporal has a workflow that takes signals. */
  readonly isLive: boolean;
  /** The run's workflow task fails, or will; `null`: no worker has noted it. */
  readonly failing: FailingTask | null;
  /** Why a failed run takes no retry; `null`: it takes one, or has not failed. */
  readonly obstacle: Obstacle | null;
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

/** A run as a caller sees it. */
export type ShownRun = ReturnType<typeof toRunJson>;

/** A pending approval as a caller sees it. */
export interface AskedApproval {
  readonly approval: PublicApproval;
  /** Its policy lets the caller decide it. */
  readonly isOwn: boolean;
}

/** A workflow task that fails, as a worker has noted it. */
export interface FailingTask {
  readonly by: TaskFailureCause['by'];
  /** `null`: it is hidden, or the worker knows none. */
  readonly message: string | null;
}

/** What is switched off, and since when. */
export type OffThing = SwitchedOff & { readonly since: string };

/** Finds why a run stands where it stands, the weightiest reason first; there is always one. */
export function reasonsOf(facts: Facts): readonly [Reason, ...Reason[]] {
  const [first, ...more] = FINDERS.flatMap((find) => find(facts));
  return [first ?? working(facts.run), ...more];
}

type Find = (facts: Facts) => readonly Reason[];

const FINDERS: readonly Find[] = [ended, paused, failing, queued, notDispatched, waiting, switchedOff, retrying];

function ended({ run: { status, endedAt, error }, stopped: stop, obstacle }: Facts): readonly Reason[] {
  if (endedAt === null || !isEnded(status)) return [];
  if (status === 'completed') return [{ kind: status, since: endedAt, about: null }];
  const { node } = error ?? {};
  const common = { since: endedAt, ...(error && { error }), ...(node !== undefined && { node }) };
  if (status === 'canceled') return [{ kind: status, ...common, about: { stop } }];
  return [{ kind: status, ...common, about: { obstacle } }];
}

function paused({ run, stopped: stop, checkpoint }: Facts): readonly Reason[] {
  if (run.status !== 'paused') return [];
  return [{ kind: 'paused', since: stop?.at ?? beginOf(run), about: { stop, checkpoint } }];
}

function failing({ run, failing: task }: Facts): readonly Reason[] {
  if (!task) return [];
  const { by, message } = task;
  const since = beginOf(run);
  if (by === 'queue' || by === 'machine') return [{ kind: 'busy', since, about: { by } }];
  return [{ kind: 'poisoned', since, about: { message } }];
}

function queued({ run: { threadId, createdAt }, queue }: Facts): readonly Reason[] {
  return queue ? [{ kind: 'queued', since: createdAt, about: { threadId, aheadRunId: queue.aheadRunId } }] : [];
}

function notDispatched({ run: { pending } }: Facts): readonly Reason[] {
  return pending ? [{ kind: 'pending', since: pending.since, about: { reason: pending.reason } }] : [];
}

function waiting({ run, approvals }: Facts): readonly Reason[] {
  return run.waitingFor.map((one) => {
    const asked = one.kind === 'approval' ? approvals.find(({ approval }) => approval.id === one.id) : undefined;
    return waitingReason(one, asked ? toAwaited(asked.approval) : null);
  });
}

/** An explanation does not show all that is asked, so no digest goes with the decisions. */
function toAwaited({ title, tool, policy, decisions }: PublicApproval): AwaitedApproval {
  return { question: title, tool, policy, digest: null, decisions: decisions.length };
}

function switchedOff({ run, switchedOff: off }: Facts): readonly Reason[] {
  return off.map(({ since, ...about }) => {
    const began = beginOf(run);
    const { calls, nodes } = about;
    const [node] = nodes;
    return {
      kind: 'switched-off',
      since: since > began ? since : began,
      ...(node !== undefined && { node }),
      ...(calls.length > 0 && { calls }),
      about,
    };
  });
}

function retrying({ run }: Facts): readonly Reason[] {
  return run.retrying.map(({ node, index, attempt, lastError, nextAttemptAt }) => ({
    kind: 'retrying',
    since: beginOf(run),
    node,
    ...(index !== undefined && { index }),
    attempt,
    nextAttemptAt,
    ...(lastError && { error: lastError }),
    about: null,
  }));
}

function working(run: ShownRun): Reason {
  return { kind: 'working', since: beginOf(run), about: { hasBegun: run.startedAt !== null, next: run.next } };
}

function beginOf({ startedAt, createdAt }: ShownRun): string {
  return startedAt ?? createdAt;
}
