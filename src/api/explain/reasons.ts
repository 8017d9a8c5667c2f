import { isEnded } from '../../graph/run/index.ts';
import type { PublicApproval } from '../../graph/run/index.ts';
import { waitingReason } from '../../wording/index.ts';
import type { AwaitedApproval, Obstacle, Reason, Stop, SwitchedOff } from '../../wording/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import type { TaskFailureCause } from '../../store/failing-runs.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { toRunJson } from '../runs/run-json.ts';

/** The facts behind an explanation, redacted for its reader. */
export interface ExplanationFacts {
  readonly run: VisibleRun;
  /** The pending approvals; if there are many, the oldest. */
  readonly approvals: readonly AskedApproval[];
  /** The person or node that has paused or canceled the run, and when; `null` when there is none or it is hidden. */
  readonly stopped: (Stop & { readonly at: string }) | null;
  /** Set when the run waits in the queue of its thread. */
  readonly queue: { readonly aheadRunId: string | null } | null;
  /** True when Temporal has a workflow that accepts signals. */
  readonly isLive: boolean;
  /** Set when the run's workflow task fails or is about to; `null` when no worker has recorded a failure. */
  readonly failing: FailingTask | null;
  /** Why a failed run can't be retried; `null` when it can be or has not failed. */
  readonly obstacle: Obstacle | null;
  /**
   * What the reader must not skip, because other people decide its approvals: ids of interventions, or the name of the
   * node that has failed the run.
   */
  readonly gatedForReader: ReadonlySet<string>;
  /** The run's latest checkpoint; `null` before it has begun. */
  readonly checkpoint: string | null;
  /** `null` when the run has no deadline. */
  readonly deadline: NonNullable<RunRecord['view']>['deadline'] | null;
  /** What the next nodes use and an administrator has switched off. */
  readonly switchedOff: readonly BlockingSwitch[];
  /** False when the installation refuses forks of runs. */
  readonly forking: boolean;
  /** The permissions of the reader. */
  readonly permissions: ReadonlySet<Permission>;
}

/** A run, redacted for a caller. */
export type VisibleRun = ReturnType<typeof toRunJson>;

/** A pending approval, redacted for a caller. */
export interface AskedApproval {
  readonly approval: PublicApproval;
  /** True when its policy lets the caller decide it. */
  readonly isOwn: boolean;
}

/** A failing workflow task, as a worker has recorded it. */
export interface FailingTask {
  readonly by: TaskFailureCause['by'];
  /** `null` when it is hidden or not known to the worker. */
  readonly message: string | null;
}

/** Something that is switched off, and since when. */
export type BlockingSwitch = SwitchedOff & { readonly since: string };

/** Lists the reasons for a run's present state, the most important first. There is always at least one. */
export function reasonsOf(facts: ExplanationFacts): readonly [Reason, ...Reason[]] {
  const [first, ...more] = FINDERS.flatMap((find) => find(facts));
  return [first ?? workingReasons(facts.run), ...more];
}

type FindReasons = (facts: ExplanationFacts) => readonly Reason[];

const FINDERS: readonly FindReasons[] = [
  endedReasons,
  pausedReasons,
  failingTaskReasons,
  queuedReasons,
  notDispatchedReasons,
  waitingReasons,
  switchedOffReasons,
  retryingReasons,
];

function endedReasons({
  run: { status, endedAt, error },
  stopped: stop,
  obstacle,
}: ExplanationFacts): readonly Reason[] {
  if (endedAt === null || !isEnded(status)) return [];
  if (status === 'completed') return [{ kind: status, since: endedAt, about: null }];
  const { node } = error ?? {};
  const common = { since: endedAt, ...(error && { error }), ...(node !== undefined && { node }) };
  if (status === 'canceled') return [{ kind: status, ...common, about: { stop } }];
  return [{ kind: status, ...common, about: { obstacle } }];
}

function pausedReasons({ run, stopped: stop, checkpoint }: ExplanationFacts): readonly Reason[] {
  if (run.status !== 'paused') return [];
  return [{ kind: 'paused', since: stop?.at ?? beginOf(run), about: { stop, checkpoint } }];
}

function failingTaskReasons({ run, failing: task }: ExplanationFacts): readonly Reason[] {
  if (!task) return [];
  const { by, message } = task;
  const since = beginOf(run);
  if (by === 'queue' || by === 'machine') return [{ kind: 'busy', since, about: { by } }];
  return [{ kind: 'poisoned', since, about: { message } }];
}

function queuedReasons({ run: { threadId, createdAt }, queue }: ExplanationFacts): readonly Reason[] {
  return queue ? [{ kind: 'queued', since: createdAt, about: { threadId, aheadRunId: queue.aheadRunId } }] : [];
}

function notDispatchedReasons({ run: { pending } }: ExplanationFacts): readonly Reason[] {
  return pending ? [{ kind: 'pending', since: pending.since, about: { reason: pending.reason } }] : [];
}

function waitingReasons({ run, approvals }: ExplanationFacts): readonly Reason[] {
  return run.waitingFor.map((one) => {
    const asked = one.kind === 'approval' ? approvals.find(({ approval }) => approval.id === one.id) : undefined;
    return waitingReason(one, asked ? toAwaited(asked.approval) : null);
  });
}

/** An explanation does not contain the full question, so its decisions have no digest. */
function toAwaited({ title, tool, policy, decisions }: PublicApproval): AwaitedApproval {
  return { question: title, tool, policy, digest: null, decisions: decisions.length };
}

function switchedOffReasons({ run, switchedOff: off }: ExplanationFacts): readonly Reason[] {
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

function retryingReasons({ run }: ExplanationFacts): readonly Reason[] {
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

function workingReasons(run: VisibleRun): Reason {
  return { kind: 'working', since: beginOf(run), about: { hasBegun: run.startedAt !== null, next: run.next } };
}

function beginOf({ startedAt, createdAt }: VisibleRun): string {
  return startedAt ?? createdAt;
}
