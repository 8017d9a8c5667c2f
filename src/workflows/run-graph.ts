import { CancellationScope } from '@temporalio/workflow';
import { advance, beginRun } from '../graph/advance/index.ts';
import type { Advance } from '../graph/advance/index.ts';
import { compileShared } from '../graph/compile/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import type { CallEffect, Effect, OccurrenceBody, Run } from '../graph/run/index.ts';
import type { Json } from '../graph/values/index.ts';
import { hasEnded, readRun, statusOf } from '../graph/run/index.ts';
import type { Continuation, WorkflowInput } from './contract.ts';
import { createDisplay } from './display.ts';
import type { Display } from './display.ts';
import { createEffects } from './effects.ts';
import type { Effects } from './effects.ts';
import { endAsCanceled, callCanceled, toWorkflowFailure } from './failures.ts';
import { continueAsNew, createContinueAsNew } from './continue-as-new.ts';
import { openInbox } from './inbox.ts';
import type { Inbox } from './inbox.ts';
import { interpreterVersionOf } from './interpreter-version.ts';
import { createLatestEvents } from './latest-events.ts';
import type { LatestEvents } from './latest-events.ts';
import { createOutbox } from './outbox.ts';
import type { Outbox } from './outbox.ts';
import { answerQueries } from './queries.ts';
import { createRecorder } from './recorder.ts';
import type { Recorder } from './recorder.ts';
import type { ContinueAsNew } from './continue-as-new.ts';

/**
 * Runs a graph: occurrences go into the interpreter, its effects come out as activities and timers.
 * @returns the output channels' values; a failed run ends as a failure whose type is its code, a canceled one as canceled
 */
export async function runGraph({ queuedSignals = [], ...input }: WorkflowInput): Promise<Json> {
  const inbox = openInbox(queuedSignals);
  const run = await shielded(() => live(input, inbox));
  return conclude(run);
}

/** A run, and what is around it. */
interface Shell {
  run: Run;
  /** The interpreter has more to do at once. */
  hasYielded: boolean;
  readonly graph: CompiledGraph;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly effects: Effects;
  readonly recorder: Recorder;
  readonly continueAsNew: ContinueAsNew;
  readonly latestEvents: LatestEvents;
  readonly display: Display;
}

function openShell({ definition, catalog, identity, begin }: WorkflowInput, inbox: Inbox): Shell {
  const graph = compileShared(definition, catalog);
  const { id: runId, tenantId, createdBy } = identity;
  const outbox = createOutbox(graph);
  const recorder = createRecorder({ outbox, inbox });
  const effects = createEffects(inbox, { runId, tenantId, createdBy });
  const { continueAfter } = graph.catalog.defaults;
  const around = {
    graph,
    inbox,
    outbox,
    effects,
    recorder,
    continueAsNew: createContinueAsNew(continueAfter, { effects, recorder, outbox, inbox }),
    display: createDisplay(begin.kind !== 'continue'),
    latestEvents: createLatestEvents(begin.kind === 'continue' ? begin.latestEvents : []),
  };
  if (begin.kind === 'continue')
    return resumeExecution({ ...around, run: readRun(begin.run), hasYielded: begin.hasYielded }, begin);
  const first = beginRun(graph, identity, { begin, at: Date.now() });
  const shell = { ...around, run: first.run, hasYielded: first.hasYielded };
  recorder.flushSoon();
  take(shell, first);
  return shell;
}

/** Goes on where the execution before has stopped. */
function resumeExecution(shell: Shell, { deferredCalls, pendingEntries }: Continuation): Shell {
  shell.recorder.flushSoon();
  shell.outbox.add(pendingEntries);
  for (const [id, { fireAt, summary }] of Object.entries(shell.run.timers))
    carryOut(shell, { kind: 'timer', id, fireAt, summary });
  for (const call of deferredCalls) carryOut(shell, call);
  return shell;
}

/** The workflow's cancellation is an occurrence like others: it is the run that cancels what is inside. */
function shielded<T>(inside: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(() => CancellationScope.cancellable(inside));
}

/** Goes on until the run has ended and the store knows all of it. */
async function live(input: WorkflowInput, inbox: Inbox): Promise<Run> {
  const interpreterVersion = interpreterVersionOf(input);
  const shell = openShell(input, inbox);
  const { outbox, recorder, continueAsNew: succession, display } = shell;
  answerQueries({ run: () => shell.run, latestEvents: () => shell.latestEvents.all() });
  recorder.flush(shell.run, shell.hasYielded);
  display(shell.run);
  while (!hasEnded(shell.run) || !outbox.isEmpty()) {
    await inbox.arrival();
    for (const occurrence of inbox.take()) meet(shell, occurrence);
    if (succession.isDue(shell.run))
      await continueAsNew({ ...input, interpreterVersion, begin: continuationOf(shell) });
    recorder.flush(shell.run, shell.hasYielded);
    display(shell.run);
  }
  return shell.run;
}

/** Has the run take in what has happened, unless that is about the workflow alone. */
function meet(shell: Shell, occurrence: OccurrenceBody): void {
  if (shell.continueAsNew.notice(occurrence)) return;
  if (isByPerson(occurrence)) shell.recorder.flushSoon();
  take(shell, advance(shell.graph, shell.run, { ...occurrence, at: Date.now() }));
}

/** Takes in what a step of the interpreter led to, and has it happen. */
function take(shell: Shell, step: Advance): void {
  const { outbox, recorder, latestEvents } = shell;
  if (step.approvals.length > 0 || statusOf(step.run) !== statusOf(shell.run)) recorder.flushSoon();
  shell.run = step.run;
  shell.hasYielded = step.hasYielded;
  latestEvents.add(step.events);
  outbox.add(step);
  for (const effect of step.effects) carryOut(shell, effect);
}

function carryOut(shell: Shell, effect: Effect): void {
  const { effects, inbox, recorder, continueAsNew: succession } = shell;
  if (effect.kind === 'call' && succession.defer(effect)) return;
  for (const { key } of deferredCanceledBy(effect, succession)) inbox.push(callCanceled(key));
  effects.perform(effect, (call) => recorder.attach(shell.run, call));
}

/** The calls that an effect calls back and that are held for the next execution. */
function deferredCanceledBy(effect: Effect, succession: ContinueAsNew): readonly CallEffect[] {
  if (effect.kind === 'cancel.calls') return succession.cancelDeferred();
  return effect.kind === 'cancel.call' ? succession.cancelDeferred(effect.key) : [];
}

function continuationOf({ run, hasYielded, outbox, continueAsNew: succession, latestEvents }: Shell): Continuation {
  const deferredCalls = succession.deferred();
  return {
    kind: 'continue',
    run,
    deferredCalls,
    pendingEntries: outbox.pendingEntries(),
    latestEvents: latestEvents.all(),
    hasYielded,
  };
}

function isByPerson({ kind }: OccurrenceBody): boolean {
  return kind === 'signal' || kind === 'cancel.requested' || kind === 'timer';
}

function conclude({ phase }: Run): Json {
  if (phase.kind === 'failed') throw toWorkflowFailure(phase.error);
  if (phase.kind === 'canceled') throw endAsCanceled(phase.by, phase.reason);
  return phase.kind === 'completed' ? phase.output : null;
}
