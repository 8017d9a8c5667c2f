import {
  CancellationScope,
  patched,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { advance, forkRun, reopenRun, startRun } from '../graph/advance.ts';
import type { Advance, RunIdentity } from '../graph/advance.ts';
import { compileShared } from '../graph/compile.ts';
import type { CompiledGraph } from '../graph/compile.ts';
import type { CallEffect, Effect } from '../graph/effect.ts';
import type { Json } from '../graph/json.ts';
import type { OccurrenceBody } from '../graph/occurrence.ts';
import { isEnded } from '../graph/run.ts';
import type { Run } from '../graph/run.ts';
import { readRun } from '../graph/run-format.ts';
import { activities, queueElsewhere } from './activities.ts';
import { continuationDue } from './continuation.ts';
import { UPGRADE } from './contract.ts';
import type { Beginning, Continuation, WorkflowInput } from './contract.ts';
import { toDetails } from './details.ts';
import { createEffects } from './effects.ts';
import type { Effects } from './effects.ts';
import { endAsCanceled } from './end-as-canceled.ts';
import { callCanceled, toWorkflowFailure } from './failures.ts';
import { goOn } from './go-on.ts';
import { openInbox } from './inbox.ts';
import type { Inbox } from './inbox.ts';
import { interpreterVersionOf } from './interpreter-version.ts';
import { createJournal } from './journal.ts';
import type { Journal, JournalParcel } from './journal.ts';
import { createLatestEvents } from './latest-events.ts';
import type { LatestEvents } from './latest-events.ts';
import { answerQueries } from './queries.ts';
import { attributesOf, keyAtStart } from './search-attributes.ts';

/**
 * Runs a graph: occurrences go into the interpreter, its effects come out as activities and timers.
 * @returns the output channels' values; a failed run ends as a failure whose type is its code, a canceled one as canceled
 */
export async function runGraph(input: WorkflowInput): Promise<Json> {
  const inbox = openInbox();
  const run = await shielded(() => live(input, inbox));
  return conclude(run);
}

interface Shell {
  run: Run;
  hasMore: boolean;
  isRecording: boolean;
  /** Something is new that people are waiting to see. */
  isUrgent: boolean;
  shown: string;
  /** Something has happened since this execution began. */
  hasMoved: boolean;
  /** Somebody wants it to go on under another worker version. */
  isUpgrading: boolean;
  /** Calls that the next execution makes. */
  held: CallEffect[];
  readonly graph: CompiledGraph;
  readonly inbox: Inbox;
  readonly effects: Effects;
  readonly journal: Journal;
  readonly latestEvents: LatestEvents;
}

function openShell({ definition, catalog, identity, begin }: WorkflowInput, inbox: Inbox): Shell {
  const graph = compileShared(definition, catalog);
  const { id: runId, tenantId, createdBy } = identity;
  const fresh = {
    graph,
    inbox,
    latestEvents: createLatestEvents(begin.kind === 'continue' ? begin.latestEvents : []),
    hasMore: false,
    isRecording: false,
    isUrgent: false,
    shown: begin.kind === 'continue' ? '' : keyAtStart(workflowInfo().typedSearchAttributes),
    hasMoved: false,
    isUpgrading: false,
    held: [],
    effects: createEffects(inbox, { runId, tenantId, createdBy }),
    journal: createJournal(graph),
  };
  if (begin.kind === 'continue') return takeOver({ ...fresh, run: readRun(begin.run) }, begin);
  const first = beginRun(graph, identity, begin);
  const shell = { ...fresh, run: first.run };
  take(shell, first, true);
  return shell;
}

/** Goes on where the execution before has stopped. */
function takeOver(shell: Shell, { held, unsent, hasMore }: Continuation): Shell {
  shell.hasMore = hasMore;
  shell.isUrgent = true;
  shell.journal.add(unsent);
  for (const [id, { fireAt, summary }] of Object.entries(shell.run.timers))
    carryOut(shell, { kind: 'timer', id, fireAt, summary });
  for (const call of held) carryOut(shell, call);
  return shell;
}

function beginRun(graph: CompiledGraph, identity: RunIdentity, begin: Beginning): Advance {
  const now = Date.now();
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: now });
    case 'reopen':
      return reopenRun(graph, readRun(begin.run), { ...begin, at: now });
    case 'fork': {
      const forked = forkRun(graph, identity, { ...begin, startedAt: now });
      if ('code' in forked) throw new TypeError(forked.message);
      return forked;
    }
  }
}

/** The workflow's cancellation is an occurrence like others: it is the run that cancels what is inside. */
function shielded<T>(inside: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(() => CancellationScope.cancellable(inside));
}

/** Goes on until the run has ended and the store knows all of it. */
async function live(input: WorkflowInput, inbox: Inbox): Promise<Run> {
  const interpreterVersion = interpreterVersionOf(input);
  const shell = openShell(input, inbox);
  const { journal } = shell;
  answerQueries({ run: () => shell.run, latestEvents: () => shell.latestEvents.all() });
  record(shell);
  show(shell);
  while (!isEnded(shell.run.status) || !journal.isEmpty()) {
    await inbox.arrival();
    for (const occurrence of inbox.take()) meet(shell, occurrence);
    if (mayContinue(shell)) await goOn({ ...input, interpreterVersion, begin: continuationOf(shell) });
    record(shell);
    show(shell);
  }
  return shell.run;
}

/** Has the run take in what has happened, unless that is about the workflow alone. */
function meet(shell: Shell, occurrence: OccurrenceBody): void {
  shell.hasMoved ||= occurrence.kind !== 'continue';
  if (occurrence.kind === 'signal' && occurrence.name === UPGRADE) shell.isUpgrading = true;
  else take(shell, advance(shell.graph, shell.run, { ...occurrence, at: Date.now() }), isByPerson(occurrence));
}

/** Takes in what a step of the interpreter led to, and has it happen. */
function take(shell: Shell, step: Advance, isByPerson: boolean): void {
  const { journal } = shell;
  const before = shell.run;
  shell.run = step.run;
  shell.hasMore = step.more;
  shell.isUrgent ||= isByPerson || step.approvals.length > 0 || step.run.status !== before.status;
  shell.latestEvents.add(step.events);
  journal.add(step);
  for (const effect of step.effects) carryOut(shell, effect);
}

function carryOut(shell: Shell, effect: Effect): void {
  const { effects, inbox } = shell;
  if (effect.kind === 'call' && isHolding(shell)) return void shell.held.push(effect);
  if (effect.kind === 'cancel.calls') for (const { key } of shell.held.splice(0)) inbox.push(callCanceled(key));
  effects.perform(effect, (call) => carry(shell, call));
}

/** The history has grown so long that the next call is for another execution to make. */
function isHolding(shell: Shell): boolean {
  if (!shell.hasMoved) return false;
  const due = dueOf(shell);
  return due === 'now' || (due === 'soon' && shell.effects.outstanding() === 0);
}

/** Nothing that happens is lost: what came has been taken in, and what comes now makes the server ask again. */
function mayContinue(shell: Shell): boolean {
  const { run, effects, isRecording, isUrgent, hasMoved, inbox } = shell;
  const due = dueOf(shell);
  const isQuiet = effects.outstanding() === 0 && !isRecording && inbox.isEmpty();
  if (!hasMoved || !isQuiet || isEnded(run.status)) return false;
  return due === 'now' || (due === 'soon' && (!isUrgent || isIdle(shell)));
}

/** A run that was handed over while it waited has nothing to say. Before this mark, it was not handed over again. */
function isIdle({ isUpgrading, journal }: Shell): boolean {
  return isUpgrading && journal.isEmpty() && patched('upgraded-again');
}

function dueOf({ graph, isUpgrading }: Shell): ReturnType<typeof continuationDue> {
  return continuationDue({ continueAfter: graph.catalog.defaults.continueAfter, isUpgrading });
}

function continuationOf({ run, held, journal, latestEvents, hasMore }: Shell): Continuation {
  return { kind: 'continue', run, held, unsent: journal.unsent(), latestEvents: latestEvents.all(), hasMore };
}

/** A call that waits for workers of its own may wait long: what the run has to say does not wait with it. */
function carry(shell: Shell, call: CallEffect): JournalParcel | null {
  if (queueElsewhere(call) === null) return shell.journal.pack(shell.run, call);
  shell.isUrgent = true;
  return null;
}

function isByPerson({ kind }: OccurrenceBody): boolean {
  return kind === 'signal' || kind === 'cancel.requested' || kind === 'timer';
}

/**
 * Writes the journal by an activity of its own, where no call will carry it soon: one at a time, and only when somebody
 * waits to see what is new, or the interpreter waits to go on.
 */
function record(shell: Shell): void {
  const { run, journal, hasMore, isRecording, isUrgent } = shell;
  if (isRecording || !(isUrgent || hasMore || run.status !== 'running')) return;
  const parcel = journal.pack(run);
  if (!parcel) {
    if (hasMore) shell.inbox.push({ kind: 'continue' });
    return;
  }
  shell.isUrgent = false;
  shell.isRecording = true;
  void deliver(shell, parcel);
}

async function deliver(shell: Shell, { batch, delivered }: JournalParcel): Promise<void> {
  const { id: runId, tenantId } = shell.run;
  await CancellationScope.nonCancellable(() => activities.record({ runId, tenantId, journal: batch }));
  delivered();
  shell.isRecording = false;
  shell.inbox.push({ kind: 'continue' });
}

/** Keeps what Temporal shows of the run up to date. */
function show(shell: Shell): void {
  const details = toDetails(shell.run);
  setCurrentDetails(details);
  const { key, attributes } = attributesOf(shell.run);
  if (key === shell.shown) return;
  shell.shown = key;
  upsertSearchAttributes(attributes);
}

function conclude({ status, error, output, cancellation }: Run): Json {
  if (status === 'failed' && error) throw toWorkflowFailure(error);
  if (status === 'canceled') throw endAsCanceled(cancellation);
  return output;
}
