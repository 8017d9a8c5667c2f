import * as fc from 'fast-check';
import { advance } from '../../../src/graph/advance/advance.ts';
import type { AdvanceResult } from '../../../src/graph/advance/advance.ts';
import { startRun } from '../../../src/graph/advance/begin-run.ts';
import type { RunIdentity } from '../../../src/graph/advance/begin-run.ts';
import { compileShared } from '../../../src/graph/compile/compile.ts';
import type { CompiledGraph } from '../../../src/graph/compile/compile.ts';
import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { ToolCall } from '../../../src/graph/definition/message.ts';
import { toRunView } from '../../../src/graph/journal/run-view.ts';
import type { RunView } from '../../../src/graph/journal/run-view.ts';
import type { Approval } from '../../../src/graph/run/approval.ts';
import type { CallEffect, CallRequest, ModelCallRequest } from '../../../src/graph/run/effect.ts';
import { limitsOfGraph } from '../../../src/graph/run/limits.ts';
import type { Occurrence, OccurrenceBody } from '../../../src/graph/run/occurrence.ts';
import type { Run } from '../../../src/graph/run/run.ts';
import { hasEnded } from '../../../src/graph/run/status.ts';
import type { RunErrorCode } from '../../../src/graph/values/errors.ts';
import { isJsonObject } from '../../../src/graph/values/json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { unitsSpent } from '../../../src/graph/values/meter.ts';
import { shown } from './shown-run.ts';
import type { ShownRun } from './shown-run.ts';

/*
 * Runs a graph to its end with external occurrences in an order that the test chooses. The occurrences themselves do
 * not depend on the order: the arguments of calls determine their answers, the titles of approvals their decisions.
 */

/** A graph to run; `choose` selects the next of several possible occurrences. */
export interface Shuffling {
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
  /** @returns a number from 0 up to the given one */
  readonly choose: (count: number) => number;
  /** The beginning of the run; by default a new run without input. */
  readonly begin?: (graph: CompiledGraph, identity: RunIdentity) => AdvanceResult;
  /** Replaces the answer that the arguments of a call determine. */
  readonly answer?: (call: CallEffect) => OccurrenceBody | null;
  /** Returns the graph and the run with which each step begins; by default unchanged. */
  readonly carry?: (graph: CompiledGraph, run: Run) => readonly [CompiledGraph, Run];
  /** Receives each step; its return value is the next occurrence, before anything else. */
  readonly interject?: (run: Run) => Interjection | null;
}

interface Interjection {
  readonly body: OccurrenceBody;
  readonly check: (before: Run, after: AdvanceResult) => void;
}

export interface ShuffledRun {
  readonly run: ShownRun;
  readonly steps: readonly AdvanceResult[];
  /** The meter units that each step has used. */
  readonly units: readonly number[];
  readonly occurrences: readonly Occurrence[];
}

/**
 * A property continues with another graph when a new run takes more steps: few runs do, and they would take most of a
 * test's time.
 */
const LONG = 1_500;
/** A fork or a retry of a run takes few more steps than that run. */
const ENDLESS = 2 * LONG;

export const STARTED_AT = Date.parse('2026-01-02T03:04:05.000Z');

export function runShuffled(shuffling: Shuffling): ShuffledRun {
  const { definition, catalog, choose, carry, interject, begin = beginAnew, answer = () => null } = shuffling;
  let graph = compileShared(definition, catalog);
  const units: number[] = [];
  const metered = (step: () => AdvanceResult): AdvanceResult => {
    const before = unitsSpent();
    const after = step();
    units.push(unitsSpent() - before);
    return deepFreeze(after);
  };
  let last = metered(() => begin(graph, identityOf(graph)));
  const steps = [last];
  const occurrences: Occurrence[] = [];
  const calls = new Map<string, CallEffect>();
  const take = (body: OccurrenceBody): AdvanceResult => {
    const [sameGraph, run] = carry?.(graph, last.run) ?? [graph, last.run];
    graph = sameGraph;
    const occurrence = deepFreeze({ ...body, at: STARTED_AT + 1000 * (occurrences.length + 1) });
    occurrences.push(occurrence);
    last = metered(() => advance(graph, deepFreeze(run), occurrence));
    steps.push(last);
    noteCalls(last, calls);
    return last;
  };
  noteCalls(last, calls);
  while (!hasEnded(last.run)) {
    const interjection = last.hasYielded ? null : interject?.(last.run);
    if (interjection) {
      const before = last.run;
      interjection.check(before, take(interjection.body));
      continue;
    }
    const possible = last.hasYielded ? [CONTINUE] : possibilities(last.run, (key) => toReply(calls.get(key), answer));
    const body = possible[choose(possible.length)];
    if (!body) throw new Error(`The run is stuck: ${JSON.stringify(toRunView(last.run))}`);
    expectAnEnd(occurrences.length, begin);
    take(body);
  }
  return { run: shown(last.run), steps, units, occurrences };
}

function expectAnEnd(taken: number, begin: Shuffling['begin']): void {
  fc.pre(begin !== beginAnew || taken <= LONG);
  if (taken > ENDLESS) throw new Error('The run does not end');
}

function noteCalls({ effects }: AdvanceResult, calls: Map<string, CallEffect>): void {
  for (const effect of effects) if (effect.kind === 'call') calls.set(effect.key, effect);
}

const CONTINUE: OccurrenceBody = { kind: 'continue' };

function beginAnew(graph: CompiledGraph, identity: RunIdentity): AdvanceResult {
  return startRun(graph, identity, { input: {}, startedAt: STARTED_AT });
}

function identityOf({ definition, catalog }: CompiledGraph): RunIdentity {
  return {
    id: 'run-1',
    tenantId: 'acme',
    threadId: null,
    graph: { name: definition.name, version: null, hash: 'shuffled' },
    createdBy: { sub: 'uma', roles: ['user'] },
    limits: limitsOfGraph(definition.limits, catalog.defaults),
  };
}

/** All possible next occurrences, in an order that does not depend on the order of earlier ones. */
function possibilities(run: Run, replyTo: (key: string) => OccurrenceBody[]): OccurrenceBody[] {
  const replies = Object.keys(run.calls)
    .toSorted()
    .flatMap((key) => replyTo(key));
  return [...replies, ...possibleSignals(toRunView(run), Object.values(run.approvals)), ...nextTimer(run)];
}

type Signal = Extract<OccurrenceBody, { kind: 'signal' }>;

/** The signals that people may send next. */
export function possibleSignals(
  { status, waitingFor }: Pick<RunView, 'status' | 'waitingFor'>,
  approvals: readonly Pick<Approval, 'id' | 'title' | 'status'>[],
): Signal[] {
  const pending = approvals.filter((approval) => approval.status === 'pending');
  const decisions = pending.map(({ id, title }): Signal => ({
    kind: 'signal',
    name: title === 'no' ? 'reject' : 'approve',
    payload: { approvalId: id },
  }));
  const resumption: Signal[] = status === 'paused' ? [{ kind: 'signal', name: 'resume', payload: undefined }] : [];
  return [...decisions, ...waitingFor.flatMap((waiting) => afterWait(waiting)), ...resumption];
}

function afterWait({ kind, id = '' }: { kind: string; id?: string }): Signal[] {
  if (kind === 'event') return [{ kind: 'signal', name: 'event', payload: { event: id, payload: { of: id } } }];
  if (kind === 'intervention') return [{ kind: 'signal', name: 'skip', payload: { id, output: 'skipped' } }];
  return [];
}

/** Timers fire in order; those of approvals and event waits never do. */
function nextTimer({ timers }: Run): OccurrenceBody[] {
  const [first] = Object.entries(timers)
    .filter(([, { fireAt }]) => fireAt < STARTED_AT + 86_400_000)
    .toSorted(([a, { fireAt: at }], [b, { fireAt: bt }]) => at - bt || (a < b ? -1 : 1));
  return first ? [{ kind: 'timer', id: first[0] }] : [];
}

function toReply(call: CallEffect | undefined, answer: NonNullable<Shuffling['answer']>): OccurrenceBody[] {
  return call ? [answer(call) ?? reply(call)] : [];
}

type CallReturn = Extract<OccurrenceBody, { kind: 'call.completed' | 'call.failed' }>;

/**
 * A call answers with its argument `give`, or fails if it has an argument `fail`; with `lose` its outcome is unknown.
 */
export function reply({ key, request }: Pick<CallEffect, 'key' | 'request'>): CallReturn {
  if (request.kind === 'model') return modelReply(key, request);
  const args = argsOf(request);
  if (isJsonObject(args) && args['fail'] !== undefined)
    return failure(key, 'TOOL_FAILED', JSON.stringify(args['fail']));
  if (isJsonObject(args) && args['lose'] !== undefined) return failure(key, 'UNKNOWN_OUTCOME', 'Nobody knows');
  const value = isJsonObject(args) ? (args['give'] ?? null) : null;
  return { kind: 'call.completed', key, reply: { kind: 'value', value }, attempts: 1, durationMs: 1 };
}

function failure(key: string, code: RunErrorCode, message: string): CallReturn {
  return { kind: 'call.failed', key, failure: { callFailed: code !== 'UNKNOWN_OUTCOME', error: { code, message } } };
}

/** A model follows its system text: a list of calls for each turn, or the reason why there is none. */
function modelReply(key: string, { system, messages, tools }: ModelCallRequest): CallReturn {
  const turns: readonly (readonly ToolCall[] | string)[] = JSON.parse(system ?? '[]');
  const turn =
    turns[messages.filter(({ id, role }) => id.startsWith('conversation') && role === 'assistant').length] ?? [];
  if (typeof turn === 'string') return failure(key, 'MODEL_FAILED', turn);
  const toolCalls = tools.length > 0 ? turn : [];
  const usage = { inputTokens: 3, outputTokens: 2 };
  const text = `after ${messages.length}`;
  const reply = { kind: 'model', text, toolCalls, finishReason: 'stop', usage } as const;
  return { kind: 'call.completed', key, reply, attempts: 1, durationMs: 1 };
}

function argsOf(request: CallRequest): Json {
  return 'args' in request ? request.args : null;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
