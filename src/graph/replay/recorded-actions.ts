import { toRunView } from '../journal/run-view.ts';
import type { EventOf, RunEvent } from '../journal/events.ts';
import { approvalTimerId, nodeOfIntervention, nodesAround, taskName } from '../run/ids.ts';
import type { NodePath } from '../run/ids.ts';
import type { OccurrenceBody, RecordedOccurrence } from '../run/occurrence.ts';
import type { Run } from '../run/run.ts';
import { hasEnded } from '../run/status.ts';
import { isJsonObject, own } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import type { ReplayLog } from './replay-log.ts';

/** A recorded signal that the run accepted, or the recorded timeout of an approval. */
export interface RecordedAction {
  readonly recorded: SignalOrTimer;
  readonly subject: ActionSubject;
  /** True if the run had ended before, so that the signal reopened it. */
  readonly reopens: boolean;
}

type SignalOrTimer = RecordedOccurrence & { readonly kind: 'signal' | 'timer' };

/** What an action is about: a task that waits for a person, or the run as a whole. */
type ActionSubject =
  | {
      readonly kind: 'approval' | 'intervention';
      /** The address of the task, such as `outer/pay[2]`. */
      readonly task: string;
      readonly tool?: string | undefined;
      /** The recorded id and digest of an approval. */
      readonly approval?: { readonly id: string; readonly digest: string };
    }
  | { readonly kind: 'run' };

/** A recorded action that a replay could not play. */
export interface UnplayedAction {
  /** The name of the signal, or `timeout`. */
  readonly action: string;
  /** The subject of the person's token; `null` for a timeout. */
  readonly by: string | null;
  /** The node or the task, such as `outer/pay[2]`; `null` if the action is about the run. */
  readonly node: string | null;
  readonly why: string;
}

/** An action that fits what a run waits for now. */
interface FittingAction {
  readonly action: RecordedAction;
  readonly occurrence: OccurrenceBody;
}

/** The actions of a recorded run that a replay has not played, in the recorded order. */
export class RecordedActions {
  readonly #left: RecordedAction[];
  readonly #refused: UnplayedAction[] = [];

  constructor(log: Pick<ReplayLog, 'events' | 'occurrences'>) {
    const approvals = requestedApprovals(log.events);
    this.#left = log.occurrences.flatMap((recorded, at) => {
      if (recorded.kind !== 'signal' && recorded.kind !== 'timer') return [];
      const caused = log.events.slice(recorded.seq, log.occurrences[at + 1]?.seq);
      const subject =
        recorded.kind === 'signal'
          ? subjectOfSignal(recorded.name, caused, approvals)
          : subjectOfTimer(recorded, approvals);
      return subject ? [{ recorded, subject, reopens: hadEnded(log.events, recorded.seq) }] : [];
    });
  }

  /** Marks an action as played. @returns the action; `null` if the occurrence is none */
  take(recorded: RecordedOccurrence): RecordedAction | null {
    const at = this.#left.findIndex((action) => action.recorded === recorded);
    return this.#left.splice(at, at === -1 ? 0 : 1)[0] ?? null;
  }

  /** Returns the earliest action that a run can take now; `null` for none. */
  firstFitting(run: Run): FittingAction | null {
    const open = hasEnded(run) ? [] : openItems(run);
    for (const action of this.#left) {
      const occurrence = action.reopens === hasEnded(run) ? toOccurrence(action, open) : null;
      if (occurrence) return { action, occurrence };
    }
    return null;
  }

  refuse(action: RecordedAction, why: string): void {
    this.#refused.push(toUnplayed(action, why));
  }

  /** Returns all actions that were refused, or that nothing waited for. @param run the run at its end */
  unplayed(run: Run): readonly UnplayedAction[] {
    const why = ({ subject }: RecordedAction): string =>
      subject.kind === 'run' && hasEnded(run) ? 'the run had ended' : NOTHING_WAITS[subject.kind];
    return [...this.#refused, ...this.#left.map((action) => toUnplayed(action, why(action)))];
  }
}

const NOTHING_WAITS = {
  approval: 'no approval waits there',
  intervention: 'no failure waits there for a person',
  run: 'the run had not ended',
} as const;

function toUnplayed({ recorded, subject }: RecordedAction, why: string): UnplayedAction {
  const node = subject.kind === 'run' ? null : subject.task;
  if (recorded.kind === 'timer') return { action: 'timeout', by: null, node, why };
  const by = isJsonObject(recorded.payload) ? recorded.payload['by'] : undefined;
  const sub = isJsonObject(by) ? by['sub'] : undefined;
  return { action: recorded.name, by: typeof sub === 'string' ? sub : 'temporal-operator', node, why };
}

type RequestedApprovals = ReadonlyMap<string, EventOf<'approval.requested'>>;

function requestedApprovals(events: readonly RunEvent[]): RequestedApprovals {
  return new Map(
    events.flatMap((event) => (event.type === 'approval.requested' ? [[event.approval.id, event] as const] : [])),
  );
}

/** @param caused the events that a signal has caused. @returns `null` if it was ignored */
function subjectOfSignal(
  name: string,
  caused: readonly RunEvent[],
  approvals: RequestedApprovals,
): ActionSubject | null {
  const [first] = caused;
  if (first?.type === 'signal.ignored') return null;
  if (first?.type === 'approval.decided' || first?.type === 'approval.reassigned')
    return subjectOfApproval(first.approvalId, approvals);
  const settled = SETTLEMENTS.has(name) ? caused.find(({ type }) => SETTLING.has(type)) : undefined;
  if (!settled || !('node' in settled) || settled.node === undefined) return { kind: 'run' };
  const index = 'index' in settled ? settled.index : undefined;
  const task = addressOf(settled.path, settled.node, index);
  return { kind: 'intervention', task, ...(settled.type === 'tool.skipped' && { tool: settled.tool }) };
}

/** The signals by which a person settles a failure. */
const SETTLEMENTS: ReadonlySet<string> = new Set(['retry', 'skip', 'fail']);

/** The events that such a signal causes first. */
const SETTLING: ReadonlySet<RunEvent['type']> = new Set([
  'run.retried',
  'node.failed',
  'node.skipped',
  'tool.skipped',
  'node.compensated',
  'compensation.failed',
]);

function subjectOfTimer(
  { id: timer }: RecordedOccurrence & { readonly kind: 'timer' },
  approvals: RequestedApprovals,
): ActionSubject | null {
  const id = [...approvals.keys()].find((approval) => approvalTimerId(approval) === timer);
  return id === undefined ? null : subjectOfApproval(id, approvals);
}

function subjectOfApproval(id: string, approvals: RequestedApprovals): ActionSubject | null {
  const requested = approvals.get(id);
  if (!requested) return null;
  const { path, node, index, approval } = requested;
  const { tool, digest } = approval;
  return { kind: 'approval', task: addressOf(path, node, index), tool, approval: { id, digest } };
}

/** @returns such as `outer/pay[2]` */
function addressOf(path: NodePath | undefined, node: string, index: number | undefined): string {
  return `${[...(path ?? []), node].join('/')}${index === undefined ? '' : `[${index}]`}`;
}

/** True if the run had ended when it had this many events. */
function hadEnded(events: readonly RunEvent[], seq: number): boolean {
  const last = events.slice(0, seq).findLast(({ type }) => type !== 'signal.ignored');
  return last?.type === 'run.completed' || last?.type === 'run.failed' || last?.type === 'run.canceled';
}

/** An approval or intervention that waits for a person. */
interface OpenItem {
  readonly kind: 'approval' | 'intervention';
  readonly id: string;
  readonly task: string;
  readonly tool: string | undefined;
  readonly digest: string | null;
}

function openItems(run: Run): readonly OpenItem[] {
  return toRunView(run).waitingFor.flatMap((waiting): OpenItem[] => {
    const { kind, id = '', node } = waiting;
    if (kind === 'intervention') {
      const task = addressOf(nodeOfIntervention(id)?.path, node, waiting.index);
      return [{ kind, id, task, tool: waiting.tool, digest: null }];
    }
    const approval = own(run.approvals, id);
    if (!approval) return [];
    const task = [...nodesAround(approval.task), taskName(approval.task.slice(-1))].join('/');
    return [{ kind: 'approval', id, task, tool: approval.tool, digest: approval.digest }];
  });
}

/** @returns the occurrence by which a run takes the action; `null` if nothing waits for it */
function toOccurrence(
  { recorded, subject, reopens }: RecordedAction,
  open: readonly OpenItem[],
): OccurrenceBody | null {
  if (subject.kind === 'run' || reopens) return withoutBindings(recorded, {});
  const item = findItem(subject, open);
  if (!item) return null;
  if (recorded.kind === 'timer') return { kind: 'timer', id: approvalTimerId(item.id) };
  return withoutBindings(recorded, subject.kind === 'approval' ? { approvalId: item.id } : { id: item.id });
}

/** Prefers the approval whose content is as recorded, then the one with the recorded id. */
function findItem(
  subject: Exclude<ActionSubject, { readonly kind: 'run' }>,
  open: readonly OpenItem[],
): OpenItem | undefined {
  const { kind, task, tool, approval } = subject;
  const fitting = open.filter(
    (item) => item.kind === kind && item.task === task && (tool === undefined || tool === item.tool),
  );
  return (
    fitting.find(({ digest }) => digest !== null && digest === approval?.digest) ??
    fitting.find(({ id }) => id === approval?.id) ??
    fitting[0]
  );
}

/** Removes from a signal what binds it to the state that its sender has read. @param about replaces ids */
function withoutBindings(recorded: SignalOrTimer, about: JsonObject): OccurrenceBody | null {
  if (recorded.kind === 'timer') return null;
  const { name, payload } = recorded;
  if (!isJsonObject(payload)) return { kind: 'signal', name, payload };
  const { digest: _digest, since: _since, checkpoint: _checkpoint, ...rest } = payload;
  return { kind: 'signal', name, payload: { ...rest, ...about } };
}
