import { isEnded } from '../../graph/run/index.ts';
import type { PublicApproval } from '../../graph/run/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import { whoDecides } from '../../wording/index.ts';
import type { Permission } from '../../graph/definition/index.ts';
import type { TaskFailureCause } from '../../store/failing-runs.ts';
import type { SwitchKind } from '../../store/tables.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { toRunJson } from '../runs/run-json.ts';

/** A reason why a run does not go on, or what it does meanwhile. */
export interface Reason {
  readonly kind: ReasonKind;
  /** One sentence for people. */
  readonly text: string;
  /** RFC 3339. */
  readonly since: string;
  readonly node?: string;
  readonly index?: number;
  /** Of the approval, the intervention or the event that is awaited. */
  readonly id?: string;
  /** RFC 3339. */
  readonly deadline?: string;
  /** The number of the next attempt. */
  readonly attempt?: number;
  /** RFC 3339; `null`: it is made now. */
  readonly nextAttemptAt?: string | null;
  readonly error?: RunError;
  /** The keys of the calls that wait for what is switched off. */
  readonly calls?: readonly string[];
}

type ReasonKind =
  | Waiting['kind']
  | 'switched-off'
  | 'queued'
  | 'pending'
  | 'poisoned'
  | 'busy'
  | 'paused'
  | 'retrying'
  | 'working'
  | Ended;
type Ended = 'completed' | 'failed' | 'canceled';
type Waiting = ShownRun['waitingFor'][number];

/** Finds why a run stands where it stands, the weightiest reason first; there is always one. */
export function reasonsOf(facts: Facts): readonly [Reason, ...Reason[]] {
  const [first, ...more] = FINDERS.flatMap((find) => find(facts));
  return [first ?? working(facts.run), ...more];
}

type Find = (facts: Facts) => readonly Reason[];

const FINDERS: readonly Find[] = [ended, paused, failing, queued, notDispatched, waiting, switchedOff, retrying];

function ended(facts: Facts): readonly Reason[] {
  const { status, endedAt, error } = facts.run;
  if (!isEndedStatus(status) || endedAt === null) return [];
  const text = sentence(ENDED[status](facts));
  return [{ kind: status, text, since: endedAt, ...(error && { error, ...nodeIn(error) }) }];
}

function isEndedStatus(status: ShownRun['status']): status is Ended {
  return isEnded(status);
}

const ENDED: Readonly<Record<Ended, (facts: Facts) => string>> = {
  completed: () => 'The run has completed',
  failed: ({ run: { error } }) =>
    error ? `${subjectOf(error)} failed${afterAttempts(error)}: ${told(error)}${causeOf(error)}` : 'The run failed',
  canceled: ({ run: { error }, stopped }) => `The run was canceled${byWhom(stopped)}${error ? causeOf(error) : ''}`,
};

function causeOf({ cause }: RunError): string {
  return cause ? `; ${told(cause)}` : '';
}

function nodeIn({ node }: RunError): Pick<Reason, 'node'> {
  return node === undefined ? {} : { node };
}

function paused({ run, stopped }: Facts): readonly Reason[] {
  if (run.status !== 'paused') return [];
  return [
    { kind: 'paused', text: sentence(`The run was paused${byWhom(stopped)}`), since: stopped?.at ?? beginOf(run) },
  ];
}

function failing({ run, failing: task }: Facts): readonly Reason[] {
  if (!task) return [];
  const why = task.message === null ? '' : `: ${task.message}`;
  return [{ ...FAILING[task.by](why), since: beginOf(run) }];
}

type Failing = (why: string) => Pick<Reason, 'kind' | 'text'>;

const POISONED: Failing = (why) => ({
  kind: 'poisoned',
  text: sentence(`The run's workflow task fails, and the run is ended soon if it goes on to${why}`),
});
const BUSY: Failing = () => ({
  kind: 'busy',
  text: 'The run waits for its turn at a worker that is busy with others, and goes on by itself.',
});

const FAILING: Readonly<Record<FailingTask['by'], Failing>> = {
  code: POISONED,
  temporal: POISONED,
  queue: BUSY,
  machine: () => ({
    kind: 'busy',
    text: 'The machine of its worker has no time for the run, or has ended the process that was at it. It is tried again by itself.',
  }),
};

function queued({ run: { threadId, createdAt }, queue }: Facts): readonly Reason[] {
  if (!queue) return [];
  const ahead = queue.aheadRunId === null ? 'the run before it' : `run ${queue.aheadRunId}`;
  const text = `The run waits for its turn on the thread ${threadId}: ${ahead} is not over.`;
  return [{ kind: 'queued', text, since: createdAt }];
}

function notDispatched({ run: { pending } }: Facts): readonly Reason[] {
  if (!pending) return [];
  const text = sentence(`Temporal does not have the run yet, and it is tried again: ${pending.reason}`);
  return [{ kind: 'pending', text, since: pending.since }];
}

function waiting(facts: Facts): readonly Reason[] {
  return facts.run.waitingFor.map((one) => {
    const { kind, node, id, since } = one;
    const deadline = 'deadline' in one ? one.deadline : undefined;
    const index = 'index' in one ? one.index : undefined;
    return {
      kind,
      text: sentence(WAITING[kind](one, facts)),
      since,
      node,
      ...(index !== undefined && { index }),
      ...(id !== undefined && { id }),
      ...(deadline !== undefined && { deadline }),
      ...('error' in one && { error: one.error }),
    };
  });
}

const WAITING: Readonly<Record<Waiting['kind'], (waiting: Waiting, facts: Facts) => string>> = {
  approval({ node, id }, { approvals }) {
    const approval = approvals.find((one) => one.approval.id === id)?.approval;
    if (!approval) return `Node ${node} waits for people to decide its approval`;
    const { title, policy, decisions, expiresAt } = approval;
    const made = decisions.length > 0 ? ` (decisions so far: ${decisions.length})` : '';
    return `Node ${node} waits until ${expiresAt} for ${whoDecides(policy)} to decide${made}: ${title}`;
  },
  intervention: (one) =>
    `Node ${one.node} waits for a person to retry, skip or fail it${'error' in one ? `: ${told(one.error)}` : ''}`,
  event: (one) => `Node ${one.node} waits for the event ${one.id ?? ''}${until(one)}`,
  timer: (one) => `Node ${one.node} waits${until(one)}`,
};

function until(one: Waiting): string {
  return 'deadline' in one && one.deadline !== undefined ? ` until ${one.deadline}` : '';
}

function switchedOff({ run, switchedOff: off }: Facts): readonly Reason[] {
  return off.map(({ kind, name, reason, since, isSure, nodes, calls }) => {
    const began = beginOf(run);
    const who = `${nodes.length === 1 ? 'Node' : 'Nodes'} ${nodes.join(', ')}${isSure ? '' : ' may wait'}`;
    const text = `${who}: ${waitingCalls(calls, `the ${kind} ${name}`)} until an administrator switches it on: ${reason}`;
    const [node] = nodes;
    return {
      kind: 'switched-off',
      text: sentence(text),
      since: since > began ? since : began,
      ...(node !== undefined && { node }),
      ...(calls.length > 0 && { calls }),
    };
  });
}

/** The calls that one sentence names. */
const MAX_NAMED = 3;

function waitingCalls(keys: readonly string[], of: string): string {
  if (keys.length === 0) return `calls of ${of} wait`;
  if (keys.length === 1) return `the call ${keys.join()} of ${of} waits`;
  const named = keys.slice(0, MAX_NAMED).join(', ');
  const others = keys.length - MAX_NAMED;
  return `the calls ${named}${others > 0 ? ` and ${others} more` : ''} of ${of} wait`;
}

function retrying({ run }: Facts): readonly Reason[] {
  return run.retrying.map(({ node, index, attempt, lastError, nextAttemptAt }) => {
    const place = index === undefined ? node : `${node}[${index}]`;
    const when = nextAttemptAt === null ? 'now' : `at ${nextAttemptAt}`;
    const why = lastError ? `, after ${told(lastError)}` : '';
    return {
      kind: 'retrying',
      text: sentence(`Node ${place} makes attempt ${attempt} of a call ${when}${why}`),
      since: beginOf(run),
      node,
      ...(index !== undefined && { index }),
      attempt,
      nextAttemptAt,
      ...(lastError && { error: lastError }),
    };
  });
}

function working(run: ShownRun): Reason {
  const [text, since] =
    run.startedAt === null
      ? ['No worker has begun the run yet: is one up, and does it reach the database?', run.createdAt]
      : [run.next.length > 0 ? `The run is at work: ${run.next.join(', ')}.` : 'The run is at work.', run.startedAt];
  return { kind: 'working', text, since };
}

function beginOf({ startedAt, createdAt }: ShownRun): string {
  return startedAt ?? createdAt;
}

function byWhom(stopped: Stop | null): string {
  if (!stopped) return '';
  return ` by ${stopped.by}${stopped.reason === null ? '' : `: ${stopped.reason}`}`;
}

function subjectOf({ node }: RunError): string {
  return node === undefined ? 'The run' : `Node ${node}`;
}

function afterAttempts({ attempts = 1 }: RunError): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}

function told({ code, message }: { readonly code: string; readonly message: string }): string {
  return `${code} ${message}`;
}

/** Ends a text as a sentence does. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

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
