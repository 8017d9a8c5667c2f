import { CancellationScope, patched, workflowInfo } from '@temporalio/workflow';
import { advance, beginRun } from '../graph/advance/index.ts';
import type { AdvanceResult } from '../graph/advance/index.ts';
import { compileShared, findNode } from '../graph/compile/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { INTERPRETER_VERSION } from '../graph/definition/index.ts';
import { hideRunError, NOTHING_REDACTED } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { Effect, OccurrenceBody, Run } from '../graph/run/index.ts';
import type { Json } from '../graph/values/index.ts';
import { hasEnded, readRun, statusOf } from '../graph/run/index.ts';
import type { ExecutionContinuation, WorkflowInput } from './contract.ts';
import { createDisplay } from './display.ts';
import type { Display } from './display.ts';
import { createLatestEvents, answerQueries } from './queries.ts';
import type { LatestEvents } from './queries.ts';
import { endAsCanceled, createRefusedBatch, toWorkflowFailure } from './failures.ts';
import type { RefusedBatch } from './failures.ts';
import type { CallOwner } from './call-activities.ts';
import { createCalls } from './calls.ts';
import type { Calls } from './calls.ts';
import { continueAsNew, createContinueAsNewPolicy } from './continue-as-new.ts';
import { openInbox } from './inbox.ts';
import type { Inbox } from './inbox.ts';
import { createOutbox } from './outbox.ts';
import type { Outbox } from './outbox.ts';
import { createJournalFlusher } from './journal-flusher.ts';
import type { JournalFlusher } from './journal-flusher.ts';
import type { ContinueAsNewPolicy } from './continue-as-new.ts';
import { createSegments } from './segments.ts';
import type { Segments } from './segments.ts';
import { openTimers } from './timers.ts';
import type { Timers } from './timers.ts';

/**
 * Runs a graph: occurrences go into the interpreter, its effects become activities and timers.
 * @returns the values of the output channels
 * @throws ApplicationFailure whose type is the error code of a failed run, or `INTERNAL` if the store refuses its
 * journal; CancelledFailure for a canceled run
 */
export async function runGraph({ queuedSignals = [], ...input }: WorkflowInput): Promise<Json> {
  const inbox = openInbox(queuedSignals);
  const run = await withOwnCancellation(() => runToEnd(input, inbox));
  return toWorkflowResult(run, input.redaction ?? NOTHING_REDACTED);
}

/**
 * Chooses the interpreter of an execution: the newest that was known when the execution began. A marker in the history
 * records it if it is newer than the input requires, so later code makes the same choice.
 * @param latest the newest interpreter that this code knows
 * @throws if the input requires a newer one: the workflow task fails and waits for a worker that knows it
 */
export function interpreterVersionOf(
  { interpreterVersion: required }: Pick<WorkflowInput, 'interpreterVersion'>,
  latest: number = INTERPRETER_VERSION,
): number {
  if (required > latest)
    throw new Error(`This run needs interpreter ${required}; this worker knows those up to ${latest}`);
  for (let version = latest; version > required; version--) if (patched(`interpreter-${version}`)) return version;
  return required;
}

/** A run with the parts that execute it. */
interface RunShell {
  run: Run;
  /** True if the interpreter has yielded and waits for `continue`. */
  hasYielded: boolean;
  readonly graph: CompiledGraph;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly calls: Calls;
  readonly timers: Timers;
  readonly flusher: JournalFlusher;
  readonly refusal: RefusedBatch;
  readonly continueAsNewPolicy: ContinueAsNewPolicy;
  readonly latestEvents: LatestEvents;
  readonly display: Display;
  /** `null` if the run is not traced. */
  readonly segments: Segments | null;
}

function openShell(input: WorkflowInput, inbox: Inbox): RunShell {
  const { definition, catalog, identity, begin, redaction } = input;
  const graph = compileShared(definition, catalog);
  const { id: runId, tenantId, createdBy, graph: ran } = identity;
  const outbox = createOutbox(graph);
  const refusal = createRefusedBatch(inbox);
  const segments = openSegments(input, graph);
  const flusher = createJournalFlusher({ outbox, inbox, refusal, segments });
  const { continueAfter } = graph.catalog.defaults;
  const continueAsNewPolicy = createContinueAsNewPolicy(continueAfter, {
    history: workflowInfo,
    flusher,
    outbox,
    inbox,
  });
  const owner = { runId, tenantId, graph: ran.name, createdBy, ...(redaction && { redaction }) };
  const openAt = ({ run, hasYielded }: Pick<RunShell, 'run' | 'hasYielded'>): RunShell => {
    const shell: RunShell = {
      run,
      hasYielded,
      graph,
      inbox,
      outbox,
      flusher,
      refusal,
      continueAsNewPolicy,
      segments,
      calls: createCalls({
        inbox,
        flusher,
        refusal,
        continueAsNewPolicy,
        owner: segments ? withCurrentTrace(owner, segments) : owner,
        run: () => shell.run,
      }),
      timers: openTimers(inbox),
      display: createDisplay(begin.kind !== 'continue', redaction ?? NOTHING_REDACTED),
      latestEvents: createLatestEvents(begin.kind === 'continue' ? begin.latestEvents : []),
    };
    flusher.flushSoon();
    return shell;
  };
  if (begin.kind === 'continue')
    return resumeExecution(openAt({ run: readRun(begin.run), hasYielded: begin.hasYielded }), begin);
  const first = beginRun(graph, identity, begin, Date.now());
  const shell = openAt(first);
  applyAdvance(shell, first);
  return shell;
}

function openSegments({ trace, execution, begin, redaction }: WorkflowInput, graph: CompiledGraph): Segments | null {
  if (!trace) return null;
  const state = (begin.kind === 'continue' && begin.segments) || null;
  return createSegments({
    trace: { ...trace, ...(redaction && { isRedacted: true }) },
    execution,
    state,
    isAgent: (task) => findNode(graph, task)?.type === 'agent',
  });
}

/** Adds the segment that is current when a call is made. */
function withCurrentTrace(owner: CallOwner, segments: Segments): CallOwner {
  return {
    ...owner,
    get trace() {
      return segments.current();
    },
  };
}

/** Resumes a run that another execution has begun. */
function resumeExecution(shell: RunShell, { deferredCalls, pendingEntries }: ExecutionContinuation): RunShell {
  shell.outbox.add(pendingEntries);
  for (const [id, { fireAt, summary }] of Object.entries(shell.run.timers))
    shell.timers.start({ kind: 'timer', id, fireAt, summary });
  shell.continueAsNewPolicy.beginsWith(shell.timers.count());
  for (const call of deferredCalls) shell.calls.make(call);
  return shell;
}

/**
 * Keeps the server's cancellation from reaching inner scopes: it is an occurrence, and the run cancels its own calls.
 */
function withOwnCancellation<T>(inside: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(() => CancellationScope.cancellable(inside));
}

/** Processes occurrences until the run has ended and its whole journal is stored. */
async function runToEnd(input: WorkflowInput, inbox: Inbox): Promise<Run> {
  const interpreterVersion = interpreterVersionOf(input);
  const shell = openShell(input, inbox);
  const { outbox, calls, refusal, continueAsNewPolicy, display, latestEvents } = shell;
  answerQueries({ run: () => shell.run, latestEvents: () => latestEvents.all() });
  flushShell(shell);
  display(shell.run, latestEvents.all());
  while (!hasEnded(shell.run) || !outbox.isEmpty()) {
    await inbox.arrival();
    const failure = refusal.failure();
    if (failure) throw failure;
    for (const occurrence of inbox.take()) processOccurrence(shell, occurrence);
    if (continueAsNewPolicy.isDue(shell.run, calls.outstanding()))
      await continueAsNew({ ...input, interpreterVersion, begin: toContinuation(shell) });
    flushShell(shell);
    display(shell.run, latestEvents.all());
  }
  return shell.run;
}

function flushShell({ flusher, calls, run, hasYielded, continueAsNewPolicy }: RunShell): void {
  const goesOn = hasYielded && !continueAsNewPolicy.holds();
  flusher.flush(run, { hasYielded: goesOn, isCallingLocally: calls.isCallingLocally() });
}

/** Advances the run by one occurrence, unless the occurrence concerns the workflow alone. */
function processOccurrence(shell: RunShell, occurrence: OccurrenceBody): void {
  if (shell.continueAsNewPolicy.observe(occurrence, shell.hasYielded)) return;
  if (isForPeople(occurrence)) {
    shell.calls.enterTask();
    shell.flusher.flushSoon();
  }
  shell.segments?.beginOccurrence(shell.inbox.traceOf(occurrence));
  applyAdvance(shell, advance(shell.graph, shell.run, { ...occurrence, at: Date.now() }));
}

/** Applies the interpreter's result: the new run, its journal entries and its effects. */
function applyAdvance(shell: RunShell, step: AdvanceResult): void {
  const { outbox, flusher, latestEvents, segments, continueAsNewPolicy } = shell;
  if (step.approvals.length > 0 || statusOf(step.run) !== statusOf(shell.run)) flusher.flushSoon();
  shell.run = step.run;
  shell.hasYielded = step.hasYielded;
  continueAsNewPolicy.countWork(step.work);
  latestEvents.add(step.events);
  segments?.observe(step);
  outbox.add(step);
  for (const effect of step.effects) performEffect(shell, effect);
}

/** Performs an effect: calls become activities, and timers become those of Temporal. */
function performEffect({ calls, timers }: RunShell, effect: Effect): void {
  switch (effect.kind) {
    case 'call':
      return calls.make(effect);
    case 'timer':
      return timers.start(effect);
    case 'cancel.timer':
      return timers.cancel(effect.id);
    case 'cancel.call':
      return calls.cancel(effect.key);
    case 'cancel.calls':
      return calls.cancelAll();
  }
}

function toContinuation({ run, hasYielded, calls, outbox, latestEvents, segments }: RunShell): ExecutionContinuation {
  return {
    kind: 'continue',
    run,
    deferredCalls: calls.deferred(),
    pendingEntries: outbox.pendingEntries(),
    latestEvents: latestEvents.all(),
    hasYielded,
    ...(segments && { segments: segments.state() }),
  };
}

/** True for an occurrence that begins a workflow task, and whose results people may be waiting for. */
function isForPeople({ kind }: OccurrenceBody): boolean {
  return kind === 'signal' || kind === 'cancel.requested' || kind === 'timer';
}

/** Returns the output, or throws the failure. Codecs do not encrypt the message of a failure, so it is redacted. */
function toWorkflowResult({ phase }: Run, hidden: Redaction): Json {
  if (phase.kind === 'failed') throw toWorkflowFailure(hideRunError(phase.error, hidden));
  if (phase.kind === 'canceled') throw endAsCanceled(phase.by, phase.reason);
  return phase.kind === 'completed' ? phase.output : null;
}
