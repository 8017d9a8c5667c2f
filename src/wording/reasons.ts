import { whoDecides } from './approvals.ts';
import { decisionsOf, fork, resume, retryRun, sendEvent, settlement, skipNode } from './next-actions.ts';
import type { Choice, DecidedApproval, ForkPoint, NextAction, RetryObstacle } from './next-actions.ts';
import { afterAttempts, formatCause, formatError, formatNode } from './phrases.ts';
import type { ReadableError } from './phrases.ts';
import { REDACTED } from '../graph/redaction/index.ts';
import { abbreviate, pluralIf } from '../graph/values/index.ts';
import type { RunError } from '../graph/values/index.ts';

/*
 * The table of reasons for the state of a run, with the next actions of people. The API, Temporal's Web UI and the
 * terminal all use it.
 */

/** The most characters of a list of deciders, so that a truncated sentence still contains the question. */
const MAX_DECIDERS = 300;

/** The kinds of reasons. */
export const REASON_KINDS = [
  'approval',
  'event',
  'timer',
  'intervention',
  'queued',
  'pending',
  'poisoned',
  'busy',
  'paused',
  'switched-off',
  'retrying',
  'working',
  'completed',
  'failed',
  'canceled',
] as const;
type ReasonKind = (typeof REASON_KINDS)[number];

/** A reason, and since when it holds. */
export type Reason = UndatedReason & {
  /** RFC 3339. */
  readonly since: string;
};

/** A reason. Its fields are visible to its reader; `about` holds what only the sentence and the actions need. */
export type UndatedReason = ReasonOf<ReasonKind>;

/** A reason of one kind, so that the table's functions for the kind accept it. */
type ReasonOf<K extends ReasonKind> = { readonly [T in K]: Reasons[T] & { readonly kind: T } }[K];

interface Reasons {
  readonly approval: NodeReason & { readonly about: AwaitedApproval | null };
  readonly event: NodeReason & WithoutDetails;
  readonly timer: NodeReason & WithoutDetails;
  readonly intervention: NodeReason & {
    readonly error?: ReadableError | undefined;
    readonly about: { readonly choices: readonly Choice[] };
  };
  readonly 'switched-off': {
    readonly node?: string;
    /** The keys of the waiting calls. */
    readonly calls?: readonly string[];
    readonly about: SwitchedOff;
  };
  readonly queued: { readonly about: { readonly threadId: string | null; readonly aheadRunId: string | null } };
  readonly pending: { readonly about: { readonly reason: string } };
  readonly poisoned: { readonly about: { readonly message: string | null } };
  readonly busy: { readonly about: { readonly by: 'queue' | 'machine' } };
  readonly paused: { readonly about: { readonly stop: Stop | null; readonly checkpoint: string | null } };
  readonly retrying: NodeReason & {
    /** The number of the next attempt. */
    readonly attempt: number;
    /** RFC 3339; `null` if it is made now. */
    readonly nextAttemptAt: string | null;
    readonly error?: ReadableError | undefined;
    readonly about: null;
  };
  readonly working: { readonly about: { readonly hasBegun: boolean; readonly next: readonly string[] } };
  readonly completed: WithoutDetails;
  readonly failed: ErrorReason & { readonly about: { readonly obstacle: Obstacle | null } };
  readonly canceled: ErrorReason & { readonly about: { readonly stop: Stop | null } };
}

/** A reason whose sentence needs no further details. */
interface WithoutDetails {
  readonly about: null;
}

interface NodeReason {
  readonly node: string;
  readonly index?: number | undefined;
  /** The id of the awaited approval, intervention or event. */
  readonly id?: string | undefined;
  /** RFC 3339. */
  readonly deadline?: string | undefined;
}

interface ErrorReason {
  readonly error?: RunError;
  readonly node?: string;
}

/** A pending approval as its reader may see it. */
export interface AwaitedApproval extends DecidedApproval {
  readonly question: string;
  /** The number of decisions so far. */
  readonly decisions: number;
}

/** A tool, model or other code that is switched off, and the active nodes that wait for it. */
export interface SwitchedOff {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  /** False if the nodes may be waiting for another call. */
  readonly isSure: boolean;
  readonly nodes: readonly string[];
  /** The keys of its open calls, oldest first; empty while the history does not contain them yet. */
  readonly calls: readonly string[];
}

/** The person or node that has paused or canceled a run. */
export interface Stop {
  readonly by: string;
  readonly reason: string | null;
}

/** The reason why a failed run can't be retried. */
export interface Obstacle {
  readonly kind: RetryObstacle;
  /** The checkpoint where a fork can begin; `null` for none. */
  readonly forkAt: ForkPoint | null;
}

interface ReasonEntry<K extends ReasonKind> {
  /** One sentence, without the full stop at its end. */
  readonly text: (reason: ReasonOf<K>) => string;
  /** The next actions, most useful first. */
  readonly next: (reason: ReasonOf<K>, runId: string) => readonly NextAction[];
}

const noActions = (): readonly NextAction[] => [];

const REASONS: { readonly [K in ReasonKind]: ReasonEntry<K> } = {
  approval: {
    text({ node, deadline, about }) {
      const waits = `Node ${node} waits${formatUntil(deadline)}`;
      if (!about) return `${waits} for people to decide its approval`;
      const made = about.decisions > 0 ? ` (decisions so far: ${about.decisions})` : '';
      const comma = about.policy.excludeRequester === true ? ',' : '';
      return `${waits} for ${abbreviate(whoDecides(about.policy), MAX_DECIDERS)}${comma} to decide${made}: ${about.question}`;
    },
    next: ({ id, about }) => (id === undefined ? [] : decisionsOf(id, about ?? { policy: {}, digest: null })),
  },
  intervention: {
    text: ({ error, ...task }) =>
      `Node ${formatNode(task)} waits for a person to retry, skip or fail it${error ? `: ${formatError(error)}${formatCause(error)}` : ''}`,
    next: ({ id, node, about: { choices } }, runId) =>
      id === undefined ? [] : choices.map((choice) => settlement(runId, node, id, choice)),
  },
  event: {
    text: ({ node, id, deadline }) => `Node ${node} waits for the event ${id ?? ''}${formatUntil(deadline)}`,
    next: ({ node, id }, runId) => (id === undefined || id === REDACTED ? [] : [sendEvent(runId, node, id)]),
  },
  timer: { text: ({ node, deadline }) => `Node ${node} waits${formatUntil(deadline)}`, next: noActions },
  'switched-off': {
    text({ about: { kind, name, reason, isSure, nodes, calls } }) {
      const who = `${pluralIf(nodes.length, 'Node')} ${nodes.join(', ')}${isSure ? '' : ' may wait'}`;
      return `${who}: ${waitingCalls(calls, `the ${kind} ${name}`)} until an administrator switches it on: ${reason}`;
    },
    next: noActions,
  },
  queued: {
    text({ about: { threadId, aheadRunId } }) {
      const ahead = aheadRunId === null ? 'the run before it' : `run ${aheadRunId}`;
      return `The run waits for its turn on the thread ${threadId ?? ''}: ${ahead} is not over`;
    },
    next: noActions,
  },
  pending: {
    text: ({ about: { reason } }) => `Temporal does not have the run yet, and it is tried again: ${reason}`,
    next: noActions,
  },
  poisoned: {
    text: ({ about: { message } }) =>
      `The run's workflow task fails, and the run is ended soon if it goes on to${message === null ? '' : `: ${message}`}`,
    next: noActions,
  },
  busy: { text: ({ about: { by } }) => BUSY[by], next: noActions },
  paused: {
    text: ({ about: { stop } }) => `The run was paused${formatActor(stop)}`,
    next: ({ about: { checkpoint } }, runId) => [resume(runId, checkpoint)],
  },
  retrying: {
    text({ attempt, nextAttemptAt, error, ...task }) {
      const when = nextAttemptAt === null ? 'now' : `at ${nextAttemptAt}`;
      return `Node ${formatNode(task)} makes attempt ${attempt} of a call ${when}${error ? `, after ${formatError(error)}` : ''}`;
    },
    next: noActions,
  },
  working: {
    text({ about: { hasBegun, next } }) {
      if (!hasBegun) return 'No worker has begun the run yet: is one up, and does it reach the database?';
      return next.length > 0 ? `The run is at work: ${next.join(', ')}` : 'The run is at work';
    },
    next: noActions,
  },
  completed: { text: () => 'The run has completed', next: noActions },
  failed: {
    text({ error }) {
      if (!error) return 'The run failed';
      const who = error.node === undefined ? 'The run' : `Node ${error.node}`;
      return `${who} failed${afterAttempts(error.attempts)}: ${formatError(error)}${formatCause(error)}`;
    },
    next({ error, about: { obstacle } }, runId) {
      const skip = error?.node === undefined ? [] : [skipNode(runId, error.node)];
      if (!obstacle) return [retryRun(runId, error ?? null), ...skip];
      const forks = obstacle.forkAt ? [fork(obstacle.forkAt, obstacle.kind)] : [];
      return obstacle.kind === 'several-lost' ? [...skip, ...forks] : forks;
    },
  },
  canceled: {
    text: ({ error, about: { stop } }) => `The run was canceled${formatActor(stop)}${error ? formatCause(error) : ''}`,
    next: noActions,
  },
};

/** Formats a reason in one sentence, without the full stop at its end. */
export function formatReason<K extends ReasonKind>(reason: ReasonOf<K>): string {
  return REASONS[reason.kind].text(reason);
}

/** Returns the next actions for a reason, most useful first; none if the run continues by itself. */
export function nextActions<K extends ReasonKind>(reason: ReasonOf<K>, runId: string): readonly NextAction[] {
  return REASONS[reason.kind].next(reason, runId);
}

const BUSY = {
  queue: 'The run waits for its turn at a worker that is busy with others, and goes on by itself',
  machine:
    'The machine of its worker has no time for the run, or has ended the process that was at it. It is tried again by itself',
} as const;

function formatUntil(deadline: string | undefined): string {
  return deadline === undefined ? '' : ` until ${deadline}`;
}

function formatActor(stop: Stop | null): string {
  if (!stop) return '';
  return ` by ${stop.by}${stop.reason === null ? '' : `: ${stop.reason}`}`;
}

/** The maximum of calls that one sentence names. */
const MAX_NAMED = 3;

function waitingCalls(keys: readonly string[], of: string): string {
  if (keys.length === 0) return `calls of ${of} wait`;
  if (keys.length === 1) return `the call ${keys.join()} of ${of} waits`;
  const named = keys.slice(0, MAX_NAMED).join(', ');
  const others = keys.length - MAX_NAMED;
  return `the calls ${named}${others > 0 ? ` and ${others} more` : ''} of ${of} wait`;
}

/** An item that a run waits for, as in the API. */
export interface Waiting extends NodeReason {
  readonly kind: 'approval' | 'event' | 'timer' | 'intervention';
  /** RFC 3339. */
  readonly since: string;
  readonly error?: ReadableError | undefined;
  readonly choices?: readonly Choice[] | undefined;
}

type WaitingReason = Extract<Reason, Pick<Waiting, 'kind'>>;

/**
 * Makes the reason for an item that a run waits for.
 * @param approval the awaited one; `null` for none, or if it is unknown
 */
export function waitingReason(waiting: Waiting, approval: AwaitedApproval | null): WaitingReason {
  const { kind, node, index, id, since, deadline, error, choices = [] } = waiting;
  const common = { node, index, id, since, deadline };
  if (kind === 'approval') return { kind, ...common, about: approval };
  if (kind === 'intervention') return { kind, ...common, error, about: { choices } };
  return { kind, ...common, about: null };
}
