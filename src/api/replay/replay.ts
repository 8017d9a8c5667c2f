import { advance, beginRun, reopenRun } from '../../graph/advance/index.ts';
import type { Advance, Beginning, RunIdentity } from '../../graph/advance/index.ts';
import type { CompiledGraph } from '../../graph/compile/index.ts';
import type { RunEvent } from '../../graph/journal/index.ts';
import type { OccurrenceBody, RecordedSignal, Run } from '../../graph/run/index.ts';
import { hasEnded } from '../../graph/run/index.ts';
import { canonicalJson, isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Divergence } from '../../store/tables.ts';
import { anyAnswer, occurrenceBefore } from './replay-log.ts';
import type { ReplayLog } from './replay-log.ts';

/** A run as it went with the answers of another one. */
export interface Replayed extends Pick<Advance, 'run' | 'events' | 'checkpoints' | 'approvals' | 'signals'> {
  /** The first event that is not as it was recorded; `null`: all are. */
  readonly divergence: Divergence | null;
}

export interface ReplayStart {
  readonly graph: CompiledGraph;
  readonly identity: RunIdentity;
  readonly begin: Beginning;
}

/**
 * Runs a graph with what was recorded instead of calls, signals and timers, at the times that were recorded. Once it
 * does something else than the recording, answers are found by the keys of calls, as far as there are any. Others get
 * their turn between its steps.
 */
export async function replay(start: ReplayStart, recording: ReplayLog): Promise<Replayed> {
  const player = openPlayer(start, recording);
  const most = recording.events.length + MAX_BEYOND;
  for (let next = nextStep(player); next && player.events.length < most; next = nextStep(player)) {
    take(player, next);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const missing = recording.events[player.events.length];
  if (missing && !player.divergence) player.divergence = { seq: missing.seq, expected: missing, actual: null };
  const { run, events, checkpoints, approvals, signals, divergence } = player;
  return { run, events, checkpoints, approvals: [...approvals.values()], signals, divergence };
}

/** So many events more than were recorded does a replay have that goes ways of its own. */
const MAX_BEYOND = 10_000;

interface Player {
  readonly graph: CompiledGraph;
  readonly recording: ReplayLog;
  run: Run;
  hasYielded: boolean;
  signalsSent: number;
  divergence: Divergence | null;
  readonly events: RunEvent[];
  readonly checkpoints: Advance['checkpoints'][number][];
  readonly approvals: Map<string, Advance['approvals'][number]>;
  readonly signals: Advance['signals'][number][];
}

function openPlayer({ graph, identity, begin }: ReplayStart, recording: ReplayLog): Player {
  const startedAt = Date.parse(recording.events[0]?.at ?? '') || 0;
  const first = beginRun(graph, identity, { begin, at: startedAt });
  const player: Player = {
    graph,
    recording,
    run: first.run,
    hasYielded: false,
    signalsSent: 0,
    divergence: null,
    events: [],
    checkpoints: [],
    approvals: new Map(),
    signals: [],
  };
  take(player, first);
  return player;
}

function take(player: Player, { run, events, checkpoints, approvals, signals, hasYielded }: Advance): void {
  for (const event of events) compare(player, event);
  player.run = run;
  player.hasYielded = hasYielded;
  player.checkpoints.push(...checkpoints);
  player.signals.push(...signals);
  for (const approval of approvals) player.approvals.set(approval.id, approval);
}

function compare(player: Player, event: RunEvent): void {
  const recorded = player.recording.events[player.events.length];
  player.events.push(event);
  if (player.divergence || (recorded && canonicalJson(toJson(recorded)) === canonicalJson(toJson(event)))) return;
  player.divergence = { seq: event.seq, expected: recorded ?? null, actual: event };
}

/** @returns `null`: the run has ended, or nothing that was recorded takes it on */
function nextStep(player: Player): Advance | null {
  const { graph, run, hasYielded } = player;
  const at = timeOf(player);
  if (hasYielded) return advance(graph, run, { kind: 'continue', at });
  const signal = nextSignal(player);
  if (signal) return send(player, signal, at);
  const next = hasEnded(run) ? null : nextOccurrence(player);
  return next && advance(graph, run, { ...next, at });
}

/** When what comes next has happened. */
function timeOf({ recording, events }: Player): number {
  const event = recording.events[events.length] ?? events.at(-1);
  return event ? Date.parse(event.at) : 0;
}

function nextSignal({ recording, signalsSent, events, divergence }: Player): RecordedSignal | null {
  const signal = recording.signals[signalsSent];
  return signal?.seq === events.length && !divergence ? signal : null;
}

function nextOccurrence({ run, recording, events, divergence }: Player): OccurrenceBody | null {
  const recorded = recording.events[events.length];
  return recorded && !divergence ? occurrenceBefore(recorded, run, recording) : anyAnswer(run, recording.answers);
}

function send(player: Player, { name, payload }: RecordedSignal, at: number): Advance {
  player.signalsSent += 1;
  const { graph, run } = player;
  if (hasEnded(run) && isJsonObject(payload)) return reopenRun(graph, run, { name, payload, at });
  const signal: OccurrenceBody = { kind: 'signal', name, payload };
  return advance(graph, run, { ...signal, at });
}
