import { beginRun } from '../advance/begin-run.ts';
import { driveRun, signalEndedRun } from '../advance/advance.ts';
import type { AdvanceResult } from '../advance/advance.ts';
import type { RunBeginning, RunIdentity } from '../advance/begin-run.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import type { RunEvent } from '../journal/events.ts';
import { approvalTimerId } from '../run/ids.ts';
import type { Occurrence, OccurrenceBody, RecordedOccurrence } from '../run/occurrence.ts';
import type { Run } from '../run/run.ts';
import { hasEnded } from '../run/status.ts';
import { isJsonObject } from '../values/json.ts';
import { canonicalJson } from '../values/compare-json.ts';
import { toJson } from '../values/to-json.ts';
import { RecordedActions } from './recorded-actions.ts';
import type { RecordedAction, UnplayedAction } from './recorded-actions.ts';
import { recordedEnds, completeOccurrence, findUnprocessedAnswer, isReplyTo } from './replay-log.ts';
import type { ReplayLog } from './replay-log.ts';

/** The first event of a replay that differs from the recorded run. */
export interface Divergence extends DivergingEvents {
  /** The number of the event. */
  readonly seq: number;
}

/** The events at which a replay and the recorded run diverge. */
export interface DivergingEvents {
  /** The recorded event; `null` if the recorded run ended before. */
  readonly expected: RunEvent | null;
  /** The event of the replay; `null` if the replay ended before. */
  readonly actual: RunEvent | null;
}

/** A run replayed with the answers of another one. */
export interface ReplayedRun extends Pick<
  AdvanceResult,
  'run' | 'events' | 'checkpoints' | 'approvals' | 'occurrences'
> {
  /** The first event that differs from the recording; `null` if none differs. */
  readonly divergence: Divergence | null;
  /** Recorded signals and timeouts of approvals that could not be played; empty unless `afterDivergence` is `actions`. */
  readonly unplayed: readonly UnplayedAction[];
}

export interface ReplayStart {
  readonly graph: CompiledGraph;
  readonly identity: RunIdentity;
  readonly begin: RunBeginning;
  readonly log: ReplayLog;
  /** Maps events of both runs to the form that is compared; unchanged by default. */
  readonly view?: ((event: RunEvent) => RunEvent) | undefined;
  /** Receives each step of the replay. */
  readonly onStep?: ((step: AdvanceResult) => void) | undefined;
  /**
   * `answers` (by default): after the first divergence only calls and timers end as recorded. `actions`: signals and
   * timeouts of approvals are played as well, by node and in their order.
   */
  readonly afterDivergence?: 'answers' | 'actions' | undefined;
}

/**
 * Runs a graph with the occurrences of another run, in the same order and at the same times. After the first divergence
 * from the log, the open calls and timers end as those with the same key did. Signals arrive then only if the start says so.
 */
export function replayRecordedRun({ graph, identity, begin, ...start }: ReplayStart): ReplayedRun {
  const { log } = start;
  const startedAt = Date.parse(log.events[0]?.at ?? '') || 0;
  let first: AdvanceResult | null = beginRun(graph, identity, begin, startedAt);
  const player = openPlayer(start, first.run, startedAt);
  for (; first; first = reopenReplayed(player, graph)) {
    takeStepEvents(player, first);
    for (const step of driveRun(graph, first, (last) => nextOccurrence(player, last))) takeStepEvents(player, step);
  }
  const missing = log.events[player.events.length];
  if (missing && !player.divergence) player.divergence = { seq: missing.seq, expected: missing, actual: null };
  const { run, events, checkpoints, approvals, occurrences, divergence } = player;
  const unplayed = player.actions?.unplayed(run) ?? [];
  return { run, events, checkpoints, approvals: [...approvals.values()], occurrences, divergence, unplayed };
}

/** The limit by which the events of a diverged replay may exceed the recorded ones. */
const MAX_BEYOND = 10_000;

type PlayerStart = Omit<ReplayStart, 'graph' | 'identity' | 'begin'>;

interface ReplayPlayer extends PlayerStart {
  readonly ends: ReturnType<typeof recordedEnds>;
  /** The recorded signals that are still to be played; `null` if they are not played after a divergence. */
  readonly actions: RecordedActions | null;
  /** The action that the next step answers. */
  playing: RecordedAction | null;
  run: Run;
  /** The number of recorded occurrences that have been replayed. */
  happened: number;
  /** Milliseconds since the epoch. */
  now: number;
  divergence: Divergence | null;
  readonly events: RunEvent[];
  readonly checkpoints: AdvanceResult['checkpoints'][number][];
  readonly approvals: Map<string, AdvanceResult['approvals'][number]>;
  readonly occurrences: RecordedOccurrence[];
}

function openPlayer(start: PlayerStart, run: Run, now: number): ReplayPlayer {
  return {
    ...start,
    ends: recordedEnds(start.log),
    actions: start.afterDivergence === 'actions' ? new RecordedActions(start.log) : null,
    playing: null,
    run,
    happened: 0,
    now,
    divergence: null,
    events: [],
    checkpoints: [],
    approvals: new Map(),
    occurrences: [],
  };
}

function takeStepEvents(player: ReplayPlayer, step: AdvanceResult): void {
  const { run, events, checkpoints, approvals, occurrences } = step;
  player.onStep?.(step);
  const [first] = events;
  if (player.playing && first?.type === 'signal.ignored')
    player.actions?.refuse(player.playing, first.detail ?? first.reason);
  player.playing = null;
  for (const event of events) compareEvent(player, event);
  player.run = run;
  player.checkpoints.push(...checkpoints);
  player.occurrences.push(...occurrences);
  for (const approval of approvals) player.approvals.set(approval.id, approval);
}

function compareEvent(player: ReplayPlayer, event: RunEvent): void {
  const { log, view = (whole) => whole } = player;
  const recorded = log.events[player.events.length];
  player.events.push(event);
  if (player.divergence) return;
  const expected = recorded ? view(recorded) : null;
  const actual = view(event);
  if (canonicalJson(toJson(expected)) === canonicalJson(toJson(actual))) return;
  player.divergence = { seq: event.seq, expected, actual };
}

/** @returns `null` if the run has ended, or no recorded occurrence continues it */
function nextOccurrence(player: ReplayPlayer, last: AdvanceResult): Occurrence | null {
  const { log, divergence, events } = player;
  if (hasEnded(last.run) || events.length >= log.events.length + MAX_BEYOND) return null;
  const recorded = divergence ? null : log.occurrences[player.happened];
  if (last.hasYielded && recorded?.seq !== events.length) return continuingOccurrence(player);
  const next = recorded ? nextRecorded(player, recorded) : nextApart(player, last);
  return next ?? unprocessedAnswer(player, last);
}

/** Returns the occurrence that continues the run after a yield, at the recorded time. */
function continuingOccurrence(player: ReplayPlayer): Occurrence {
  const { log, events, divergence } = player;
  const event = divergence ? undefined : log.events[events.length];
  if (event) player.now = Date.parse(event.at);
  return { kind: 'continue', at: player.now };
}

function nextRecorded(player: ReplayPlayer, recorded: RecordedOccurrence): Occurrence | null {
  player.happened += 1;
  player.now = recorded.at;
  player.playing = player.actions?.take(recorded) ?? null;
  return completeOccurrence(recorded, player.log);
}

/**
 * Returns the next occurrence of a diverged replay: the earliest recorded end of an open call or timer, or the earliest
 * recorded action that fits.
 */
function nextApart(player: ReplayPlayer, { run }: AdvanceResult): Occurrence | null {
  const fitting = player.actions?.firstFitting(run) ?? null;
  for (const recorded of openEnds(player, run)) {
    if (fitting && fitting.action.recorded.number < recorded.number) break;
    const next = completeOccurrence(recorded, player.log);
    if (next && fitsOpenCall(run, next)) return atRecordedTime(player, next, recorded);
  }
  if (!fitting) return null;
  const { recorded } = fitting.action;
  player.playing = player.actions?.take(recorded) ?? null;
  return atRecordedTime(player, fitting.occurrence, recorded);
}

/** Returns the recorded ends of open calls and timers, in order. Timeouts of approvals are actions where these are played. */
function openEnds({ ends, actions }: ReplayPlayer, { calls, timers, approvals }: Run): readonly RecordedOccurrence[] {
  const apart = new Set(actions ? Object.keys(approvals).map(approvalTimerId) : []);
  const open = [...Object.keys(calls), ...Object.keys(timers).filter((id) => !apart.has(id))];
  return open.flatMap((id) => ends.get(id) ?? []).sort((a, b) => a.number - b.number);
}

function fitsOpenCall({ calls }: Run, next: Occurrence): boolean {
  if (next.kind !== 'call.completed') return true;
  const call = calls[next.key];
  return call !== undefined && isReplyTo(call, next.reply);
}

/** An occurrence happens no earlier than those before it. */
function atRecordedTime(player: ReplayPlayer, next: OccurrenceBody, { at }: RecordedOccurrence): Occurrence {
  player.now = Math.max(player.now, at);
  return { ...next, at: player.now };
}

function unprocessedAnswer({ log, now }: ReplayPlayer, { run }: AdvanceResult): Occurrence | null {
  const answer = findUnprocessedAnswer(run, log);
  return answer && { ...answer, at: now };
}

/** @returns `null` if the run has not ended, or was not reopened then */
function reopenReplayed(player: ReplayPlayer, graph: CompiledGraph): AdvanceResult | null {
  const { run, log, divergence, happened } = player;
  if (!hasEnded(run)) return null;
  if (divergence) return reopenApart(player, graph);
  const recorded = log.occurrences[happened];
  if (recorded?.kind !== 'signal' || !isJsonObject(recorded.payload)) return null;
  player.happened += 1;
  player.playing = player.actions?.take(recorded) ?? null;
  const { name, payload, at } = recorded;
  return signalEndedRun(graph, run, { name, payload, now: at });
}

function reopenApart(player: ReplayPlayer, graph: CompiledGraph): AdvanceResult | null {
  const fitting = player.actions?.firstFitting(player.run);
  if (fitting?.occurrence.kind !== 'signal' || !isJsonObject(fitting.occurrence.payload)) return null;
  const { recorded } = fitting.action;
  player.playing = player.actions?.take(recorded) ?? null;
  player.now = Math.max(player.now, recorded.at);
  const { name, payload } = fitting.occurrence;
  return signalEndedRun(graph, player.run, { name, payload, now: player.now });
}
