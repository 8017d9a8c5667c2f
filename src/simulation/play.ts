import { driveRun } from '../graph/advance/index.ts';
import type { AdvanceResult } from '../graph/advance/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { toRunView } from '../graph/journal/index.ts';
import { approvalTimerId, hasEnded } from '../graph/run/index.ts';
import type { Effect, Occurrence, OccurrenceBody } from '../graph/run/index.ts';
import { parseDelay } from './timeline.ts';
import type { SimulatedClock, Timeline } from './timeline.ts';
import { answersQuestion, toDecisionSignal } from './decisions.ts';
import type { Decision } from './decisions.ts';
import type { CallPlayer } from './call-player.ts';
import type { RunRecord } from './run-record.ts';

/** A run under test, with its planned decisions and events. */
export interface SimulatedRun {
  readonly graph: CompiledGraph;
  last: AdvanceResult;
  readonly clock: SimulatedClock;
  readonly timeline: Timeline<OccurrenceBody>;
  readonly calls: CallPlayer;
  readonly record: RunRecord;
  /** Decisions that have not been used yet. */
  readonly decisions: Decision[];
  /** Ids of approvals and interventions whose answer is planned, or that will reach their timeout. */
  readonly answered: Set<string>;
  /** Returns the timers that do not fire while nothing else is planned. */
  readonly heldTimers: (run: SimulatedRun) => ReadonlySet<string>;
}

/**
 * Plays a run until it has ended, or only waits for a decision that the test does not contain. Time skips to the next
 * call, event, decision or timer; the timeout of an approval without a decision is not one of them.
 */
export async function playSimulatedRun(run: SimulatedRun): Promise<void> {
  absorbStep(run, run.last);
  for (let inbox: OccurrenceBody[] | null = []; inbox; inbox = await nextOccurrences(run)) takeOccurrences(run, inbox);
}

/** Advances the run by the received occurrences, and continues it after each yield. */
function takeOccurrences(run: SimulatedRun, inbox: OccurrenceBody[]): void {
  const next = ({ hasYielded }: AdvanceResult): Occurrence | null => {
    const body = hasYielded ? { kind: 'continue' as const } : inbox.shift();
    if (body) run.record.addOccurrence(body);
    return body ? { ...body, at: run.clock.now } : null;
  };
  for (const step of driveRun(run.graph, run.last, next)) absorbStep(run, step);
}

function absorbStep(run: SimulatedRun, step: AdvanceResult): void {
  run.last = step;
  run.record.addStep(step);
  for (const effect of step.effects) performEffect(run, effect);
}

/** Performs an effect. Timers need nothing, because the run itself stores them. */
function performEffect({ calls }: SimulatedRun, effect: Effect): void {
  if (effect.kind === 'call') calls.start(effect);
  if (effect.kind === 'cancel.call') calls.cancel(effect.key);
  if (effect.kind === 'cancel.calls') calls.cancel();
}

/** @returns `null` if the run has ended, or only waits for a person */
async function nextOccurrences(run: SimulatedRun): Promise<OccurrenceBody[] | null> {
  if (hasEnded(run.last.run)) return null;
  planAnswers(run);
  const { timeline, clock } = run;
  const timer = nextTimer(run);
  if (timer) {
    clock.now = Math.max(clock.now, timer.fireAt);
    return [{ kind: 'timer', id: timer.id }];
  }
  const planned = timeline.take();
  if (!planned) return null;
  clock.now = Math.max(clock.now, planned.at);
  return [...(await planned.perform())];
}

/**
 * Returns the timer that fires before everything that is planned. When time passes for another reason, held timers fire
 * as well.
 */
function nextTimer(run: SimulatedRun): { readonly id: string; readonly fireAt: number } | null {
  const timers = Object.entries(run.last.run.timers)
    .map(([id, { fireAt }]) => ({ id, fireAt }))
    .sort((a, b) => a.fireAt - b.fireAt);
  const [first] = timers;
  if (!first) return null;
  const plannedAt = run.timeline.nextAt();
  if (plannedAt !== null) return first.fireAt < plannedAt ? first : null;
  const held = run.heldTimers(run);
  return timers.every(({ id }) => held.has(id)) ? null : first;
}

/** Plans the fitting decisions for everything that waits for a person. */
function planAnswers(run: SimulatedRun): void {
  const { decisions, answered, record, timeline, clock } = run;
  if (decisions.length === 0) return;
  for (const waiting of toRunView(run.last.run).waitingFor) {
    const { id = '' } = waiting;
    const question = { waiting, approval: record.approval(id) };
    const at = answered.has(id) ? -1 : decisions.findIndex((decision) => answersQuestion(decision, question));
    const decision = decisions[at];
    if (!decision) continue;
    decisions.splice(at, 1);
    answered.add(id);
    const signal = toDecisionSignal(decision, question);
    if (!signal) continue;
    timeline.plan(clock.now + parseDelay(decision.after ?? '0s'), async () => {
      answered.delete(id);
      return [signal];
    });
  }
}

/** Returns the timers of approvals that the test leaves open. */
export function timeOutsOfOpenApprovals({ last: { run }, answered }: SimulatedRun): ReadonlySet<string> {
  const open = Object.values(run.approvals).filter(({ id, status }) => status === 'pending' && !answered.has(id));
  return new Set(open.map(({ id }) => approvalTimerId(id)));
}
