import { beginRun } from '../advance/begin-run.ts';
import { driveRun, signalEndedRun } from '../advance/advance.ts';
import type { AdvanceResult } from '../advance/advance.ts';
import type { RunBeginning, RunIdentity } from '../advance/begin-run.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import type { RunEvent } from '../journal/events.ts';
import type { Occurrence, RecordedOccurrence } from '../run/occurrence.ts';
import type { Run } from '../run/run.ts';
import { hasEnded } from '../run/status.ts';
import { isJsonObject } from '../values/json.ts';
import { canonicalJson } from '../values/compare-json.ts';
import { toJson } from '../values/to-json.ts';
import { recordedEnds, completeOccurrence, findUnprocessedAnswer } from './replay-log.ts';
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
}

/**
 * Runs a graph with the occurrences of another run, in the same order and at the same times. After the first divergence
 * from the log, the open calls and timers end as those with the same key did, and no more signals arrive.
 */
export function replayRecordedRun({ graph, identity, begin, log, view, onStep }: ReplayStart): ReplayedRun {
  const startedAt = Date.parse(log.events[0]?.at ?? '') || 0;
  let first: AdvanceResult | null = beginRun(graph, identity, begin, startedAt);
  const player = openPlayer({ log, view, onStep }, first.run, startedAt);
  for (; first; first = reopenReplayed(player, graph)) {
    takeStepEvents(player, first);
    for (const step of driveRun(graph, first, (last) => nextOccurrence(player, last))) takeStepEvents(player, step);
  }
  const missing = log.events[player.events.length];
  if (missing && !player.divergence) player.divergence = { seq: missing.seq, expected: missing, actual: null };
  const { run, events, checkpoints, approvals, occurrences, divergence } = player;
  return { run, events, checkpoints, approvals: [...approvals.values()], occurrences, divergence };
}

/** The limit by which the events of a diverged replay may exceed the recorded ones. */
const MAX_BEYOND = 10_000;

interface ReplayPlayer extends Pick<ReplayStart, 'log' | 'view' | 'onStep'> {
  readonly ends: ReturnType<typeof recordedEnds>;
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

function openPlayer(start: Pick<ReplayStart, 'log' | 'view' | 'onStep'>, run: Run, now: number): ReplayPlayer {
  return {
    ...start,
    ends: recordedEnds(start.log),
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
  return completeOccurrence(recorded, player.log);
}

/** Returns the next occurrence of a diverged replay: the earliest recorded end of an open call or timer. */
function nextApart(player: ReplayPlayer, { run }: AdvanceResult): Occurrence | null {
  const open = [...Object.keys(run.calls), ...Object.keys(run.timers)].flatMap((id) => player.ends.get(id) ?? []);
  for (const recorded of open.sort((a, b) => a.number - b.number)) {
    const next = completeOccurrence(recorded, player.log);
    if (!next) continue;
    player.now = Math.max(player.now, recorded.at);
    return { ...next, at: player.now };
  }
  return null;
}

function unprocessedAnswer({ log, now }: ReplayPlayer, { run }: AdvanceResult): Occurrence | null {
  const answer = findUnprocessedAnswer(run, log);
  return answer && { ...answer, at: now };
}

/** @returns `null` if the run has not ended, or was not reopened then */
function reopenReplayed(player: ReplayPlayer, graph: CompiledGraph): AdvanceResult | null {
  const { run, log, divergence, happened } = player;
  const recorded = log.occurrences[happened];
  if (!hasEnded(run) || divergence || recorded?.kind !== 'signal' || !isJsonObject(recorded.payload)) return null;
  player.happened += 1;
  const { name, payload, at } = recorded;
  return signalEndedRun(graph, run, { name, payload, now: at });
}
