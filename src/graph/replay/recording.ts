import type { AdvanceResult } from '../advance/advance.ts';
import type { RunBeginning, RunIdentity } from '../advance/begin-run.ts';
import { compileShared } from '../compile/compile.ts';
import type { Catalog } from '../definition/catalog.ts';
import type { GraphDefinition } from '../definition/definition.ts';
import type { RunEvent } from '../journal/events.ts';
import {
  hiddenOfNode,
  hideFailure,
  hideReply,
  hideSignal,
  placeholdersForChannels,
  placeholderFor,
} from '../redaction/hide-call.ts';
import type { NodeAddress } from '../redaction/hide-call.ts';
import { hideEvent } from '../redaction/hide.ts';
import { isRedacting } from '../redaction/redaction.ts';
import type { Redaction, NodeRedaction } from '../redaction/redaction.ts';
import type { RecordedAnswer } from './replay-log.ts';
import { replayRecordedRun } from './replay.ts';
import type { ReplayedRun, ReplayStart } from './replay.ts';
import { isCallReply } from '../run/call.ts';
import { nodesAround } from '../run/ids.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import { deepEqual } from '../values/compare-json.ts';
import { isJsonObject } from '../values/json.ts';
import { toJson } from '../values/to-json.ts';

/** Everything that is needed to replay an ended run without its environment. It is plain JSON. */
export interface Recording {
  readonly identity: RunIdentity;
  readonly definition: GraphDefinition;
  /** The part of the installation that the run has pinned. */
  readonly catalog: Catalog;
  /** The values that are hidden from callers without the permission to see payloads. */
  readonly redaction: Redaction;
  readonly begin: RunBeginning;
  readonly events: readonly RunEvent[];
  readonly occurrences: readonly RecordedOccurrence[];
  /** The answers, by the keys of the calls. */
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
}

/** Changes to a replay. */
export interface ReplayOverrides extends Pick<ReplayStart, 'view' | 'onStep' | 'afterDivergence'> {
  /** Replaces the recorded definition. */
  readonly definition?: GraphDefinition;
}

/**
 * Replays a recorded run under its own definition or another one.
 * @throws if the definition can't be compiled with what the run has pinned
 */
export function replayRecording(
  { identity, definition, catalog, begin, events, occurrences, answers }: Recording,
  { definition: other, ...overrides }: ReplayOverrides = {},
): ReplayedRun {
  const graph = compileShared(other ?? definition, catalog);
  const log = { events, occurrences, answers: new Map(Object.entries(answers)) };
  return replayRecordedRun({ graph, identity, begin, log, ...overrides });
}

/**
 * Replaces the redacted values of a recording by stand-ins. A replay of the outcome takes the same path unless the path
 * depends on redacted values; its events are compared in the form of `hideEvent`.
 * @returns `null` for a fork of a run with redacted values, because the fork began with a state
 */
export function hideRecording(recording: Recording): Recording | null {
  const { redaction, begin, events, occurrences, answers } = recording;
  if (!isRedacting(redaction)) return recording;
  const visible = hideBeginning(begin, redaction);
  if (!visible) return null;
  const nodes = findKeyedNodes(recording);
  const ofCall = (key: string): NodeRedaction => {
    const node = nodes.calls.get(key);
    return node ? hiddenOfNode(redaction, node) : ALL_HIDDEN;
  };
  const ofAnswer = ({ result, failure, ...rest }: RecordedAnswer, key: string): RecordedAnswer => ({
    ...rest,
    result: isCallReply(result) ? toJson(hideReply(result, ofCall(key))) : null,
    failure: failure && hideFailure(failure, ofCall(key)),
  });
  const ofOccurrence = (occurrence: RecordedOccurrence): RecordedOccurrence => {
    if (occurrence.kind === 'call.failed')
      return { ...occurrence, failure: hideFailure(occurrence.failure, ofCall(occurrence.key)) };
    if (occurrence.kind === 'call.completed')
      return occurrence.reply
        ? { ...occurrence, reply: hideReply(occurrence.reply, ofCall(occurrence.key)) }
        : occurrence;
    return occurrence.kind === 'signal'
      ? hideSignal(occurrence, redaction, redactionOfDecision(occurrence, nodes, redaction))
      : occurrence;
  };
  return {
    ...recording,
    begin: visible,
    events: events.map((event) => hideRecorded(event, redaction)),
    occurrences: occurrences.map(ofOccurrence),
    answers: Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, ofAnswer(answer, key)])),
  };
}

function hideBeginning(begin: RunBeginning, { channels }: Redaction): RunBeginning | null {
  if (begin.kind !== 'input') return null;
  const { input, base } = begin;
  return {
    ...begin,
    input: placeholdersForChannels(input, channels),
    ...(base && { base: placeholdersForChannels(base, channels) }),
  };
}

/** The nodes that have made calls, and those that have requested approvals. */
interface KeyedNodes {
  readonly calls: ReadonlyMap<string, NodeAddress>;
  readonly approvals: ReadonlyMap<string, NodeAddress>;
}

/** Finds the nodes by a replay, because a key does not identify its node for certain. */
function findKeyedNodes(recording: Recording): KeyedNodes {
  const calls = new Map<string, NodeAddress>();
  const approvals = new Map<string, NodeAddress>();
  const onStep = ({ effects, run, events }: AdvanceResult): void => {
    for (const effect of effects) {
      if (effect.kind !== 'call') continue;
      const { taskPath = [], compensates } = run.calls[effect.key] ?? {};
      const path = compensates ? (compensates.task.path ?? []) : nodesAround(taskPath);
      calls.set(effect.key, { node: effect.node, path });
    }
    for (const event of events)
      if (event.type === 'approval.requested')
        approvals.set(event.approval.id, { node: event.node, path: event.path ?? [] });
  };
  replayRecording(recording, { onStep });
  return { calls, approvals };
}

/** The redaction of the approval that a signal decides. @returns `null` if it decides none */
function redactionOfDecision(
  { name, payload }: Extract<RecordedOccurrence, { readonly kind: 'signal' }>,
  { approvals }: KeyedNodes,
  redaction: Redaction,
): NodeRedaction | null {
  if (name !== 'approve' && name !== 'reject') return null;
  const id = isJsonObject(payload) ? payload['approvalId'] : undefined;
  const [first] = approvals.values();
  const node = (typeof id === 'string' ? approvals.get(id) : undefined) ?? (approvals.size === 1 ? first : undefined);
  return node ? hiddenOfNode(redaction, node) : ALL_HIDDEN;
}

/** The redaction of a call or an approval whose node is unknown. */
const ALL_HIDDEN: NodeRedaction = { calls: true, result: true, values: true, error: true };

/** Redacts an event. A replay reads the results of calls from their events, so the form of results stays. */
function hideRecorded(event: RunEvent, redaction: Redaction): RunEvent {
  const visible = hideEvent(event, redaction);
  if (visible.type !== 'tool.called' || event.type !== 'tool.called' || event.result === undefined) return visible;
  return deepEqual(visible.result ?? null, event.result)
    ? visible
    : { ...visible, result: placeholderFor(event.result) };
}
