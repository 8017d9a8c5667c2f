import { CancellationScope, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { advance, forkRun, reopenRun, startRun } from '../graph/advance.ts';
import type { Advance, RunIdentity } from '../graph/advance.ts';
import { compileGraph } from '../graph/compile.ts';
import type { CompiledGraph } from '../graph/compile.ts';
import type { RunEvent } from '../graph/events.ts';
import type { Json } from '../graph/json.ts';
import type { OccurrenceBody } from '../graph/occurrence.ts';
import { isEnded } from '../graph/run.ts';
import type { Run } from '../graph/run.ts';
import { activities } from './activities.ts';
import type { Beginning, RunGraphInput } from './contract.ts';
import { toDetails } from './details.ts';
import { createEffects } from './effects.ts';
import type { Effects } from './effects.ts';
import { endAsCanceled } from './end-as-canceled.ts';
import { toInternalFailure, toWorkflowFailure } from './failures.ts';
import { openInbox } from './inbox.ts';
import type { Inbox } from './inbox.ts';
import { createJournal } from './journal.ts';
import type { Journal, JournalParcel } from './journal.ts';
import { answerQueries } from './queries.ts';
import { attributesOf } from './search-attributes.ts';

/**
 * Runs a graph: occurrences go into the interpreter, its effects come out as activities and timers.
 * @returns the output channels' values; a failed run ends as a failure whose type is its code, a canceled one as canceled
 */
export async function runGraph(input: RunGraphInput): Promise<Json> {
  const inbox = openInbox();
  const run = await shielded(() => live(input, inbox));
  return conclude(run);
}

interface Shell {
  run: Run;
  latestEvents: readonly RunEvent[];
  hasMore: boolean;
  isRecording: boolean;
  /** Something is new that people are waiting to see. */
  isUrgent: boolean;
  shown: string;
  readonly graph: CompiledGraph;
  readonly inbox: Inbox;
  readonly effects: Effects;
  readonly journal: Journal;
}

/** So many events can be asked for by query; all of them are in the store. */
const MAX_LATEST_EVENTS = 200;

function openShell({ definition, catalog, identity, begin }: RunGraphInput, inbox: Inbox): Shell {
  const graph = orInternalFailure(() => compileGraph(definition, catalog));
  const first = orInternalFailure(() => beginRun(graph, identity, begin));
  const { id: runId, tenantId, createdBy } = identity;
  const shell: Shell = {
    graph,
    inbox,
    run: first.run,
    latestEvents: [],
    hasMore: false,
    isRecording: false,
    isUrgent: false,
    shown: '',
    effects: createEffects(inbox, { runId, tenantId, createdBy }),
    journal: createJournal(graph),
  };
  take(shell, first, true);
  return shell;
}

function beginRun(graph: CompiledGraph, identity: RunIdentity, begin: Beginning): Advance {
  const now = Date.now();
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: now });
    case 'reopen':
      return reopenRun(graph, begin.run, { ...begin, at: now });
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
async function live(input: RunGraphInput, inbox: Inbox): Promise<Run> {
  const shell = openShell(input, inbox);
  const { journal } = shell;
  answerQueries({ run: () => shell.run, latestEvents: () => shell.latestEvents });
  record(shell);
  show(shell);
  while (!isEnded(shell.run.status) || !journal.isEmpty()) {
    await inbox.arrival();
    for (const occurrence of inbox.take()) {
      take(shell, advance(shell.graph, shell.run, { ...occurrence, at: Date.now() }), isByPerson(occurrence));
    }
    record(shell);
    show(shell);
  }
  return shell.run;
}

/** Takes in what a step of the interpreter led to, and has it happen. */
function take(shell: Shell, step: Advance, isByPerson: boolean): void {
  const { journal, effects } = shell;
  const before = shell.run;
  shell.run = step.run;
  shell.hasMore = step.more;
  shell.isUrgent ||= isByPerson || step.approvals.length > 0 || step.run.status !== before.status;
  shell.latestEvents = [...shell.latestEvents, ...step.events].slice(-MAX_LATEST_EVENTS);
  journal.add(step);
  for (const effect of step.effects) effects.perform(effect, (call) => journal.pack(step.run, call));
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

function orInternalFailure<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toInternalFailure(error);
  }
}
