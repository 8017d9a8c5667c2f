import { beginRun } from '../graph/advance/index.ts';
import type { RunIdentity } from '../graph/advance/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { toRunView } from '../graph/journal/index.ts';
import type { WaitingFor } from '../graph/journal/index.ts';
import { isEnded, calleeOf } from '../graph/run/index.ts';
import type {
  OccurrenceBody,
  RunStatus,
  CallReply,
  CallRequest,
  ModelReply,
  ReadingRequest,
} from '../graph/run/index.ts';
import { own, isJsonList, isJsonObject, addDefaults } from '../graph/values/index.ts';
import type { Json, JsonObject, RunError, RunErrorCode } from '../graph/values/index.ts';
import { MissingAnswerError } from './decisions.ts';
import type { Decision } from './decisions.ts';
import { CallPlayer } from './call-player.ts';
import { createTimeline } from './timeline.ts';
import type { SimulatedClock } from './timeline.ts';
import { nodePathOf, superstepsOf, RunRecord } from './run-record.ts';
import { planOutside } from './plan-outside.ts';
import { playSimulatedRun, timeOutsOfOpenApprovals } from './play.ts';
import type { SimulatedRun } from './play.ts';
import type { TestEvent } from './plan-outside.ts';
import { describeDifference, firstDifference } from './difference.ts';
import { CallError, REFUSED } from '../activities/calls/call-error.ts';
import type { CallTask } from '../activities/calls/call-task.ts';
import type { Catalog } from '../graph/definition/index.ts';
import type { FakeCall } from './call-player.ts';
import { toOwnReply } from './scripted-answer.ts';
import type { ScriptedAnswer } from './scripted-answer.ts';

/** A test of a graph as plain JSON: the outputs, decisions and events of its run, and the expectations. */
export interface OutputsTest {
  readonly input: JsonObject;
  readonly outputs: NodeOutputs;
  readonly decisions: readonly Decision[];
  readonly events: readonly TestEvent[];
  readonly expect: ExpectedWay;
}

/** The run of a test, up to its end or to the first missing answer of the test. */
export interface TestedRun {
  readonly status: RunStatus;
  /** The nodes in the order in which they began; a node inside a subgraph is `outer/inner`. */
  readonly path: readonly string[];
  /** The nodes of each superstep of the test's own graph. */
  readonly steps: readonly (readonly string[])[];
  /** The values of all channels. */
  readonly state: JsonObject;
  readonly output: Json;
  readonly error: RunError | null;
  /** `null` if the script contains everything that the run needs, and the run meets the expectations. */
  readonly mismatch: ScriptMismatch | null;
}

interface OutputsRun {
  readonly identity: RunIdentity;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly test: OutputsTest;
}

/**
 * Runs a graph in memory with scripted outputs of its nodes. Time is skipped. A wait for an event only reaches its
 * timeout if there is a decision `timeout` for its node.
 * @throws TypeError if the delay of a decision or an event is not a duration
 */
export async function playOutputs(graph: CompiledGraph, { identity, now, test }: OutputsRun): Promise<TestedRun> {
  const run = toSimulatedRun(graph, { identity, now, test });
  const missing = await untilMissing(run);
  const { status, output, error, waitingFor } = toRunView(run.last.run);
  const actual = { path: nodePathOf(run.record.events), state: run.last.run.root.channels };
  const lacking = missing ?? (isEnded(status) ? null : toWaitMismatch(waitingFor));
  const { path, state } = actual;
  const steps = superstepsOf(run.record.events);
  return { status, path, steps, state, output, error, mismatch: lacking ?? findMismatch(test.expect, actual) };
}

function toSimulatedRun(graph: CompiledGraph, { identity, now, test }: OutputsRun): SimulatedRun {
  const clock: SimulatedClock = { now, delayMs: 0, missing: null };
  const timeline = createTimeline<OccurrenceBody>();
  const record = new RunRecord();
  const { id: runId, tenantId, graph: ran, createdBy } = identity;
  const calls = new CallPlayer({
    toCall: createScriptedCalls(test.outputs, graph.catalog),
    owner: { runId, tenantId, graph: ran.name, createdBy },
    clock,
    timeline,
    onAttempt: (key) => record.addAttempt(key),
  });
  planOutside(timeline, { options: test, by: createdBy, start: now });
  const endingWaits = new Set(test.decisions.flatMap(({ decision, node }) => (decision === 'timeout' ? [node] : [])));
  return {
    graph,
    last: beginRun(graph, identity, { kind: 'input', input: test.input }, now),
    clock,
    timeline,
    calls,
    record,
    decisions: [...test.decisions],
    answered: new Set(),
    heldTimers: (run) => new Set([...timeOutsOfOpenApprovals(run), ...timersBesideEvents(run, endingWaits)]),
  };
}

/** Returns all timers while the run waits for an event and nothing else can continue it; otherwise none. */
function timersBesideEvents({ last: { run } }: SimulatedRun, endingWaits: ReadonlySet<string>): readonly string[] {
  const { waitingFor } = toRunView(run);
  const isHeld = waitingFor.some(({ kind }) => kind === 'event');
  const goesOn = waitingFor.some(({ kind, node }) => kind === 'timer' || (kind === 'event' && endingWaits.has(node)));
  return isHeld && !goesOn ? Object.keys(run.timers) : [];
}

async function untilMissing(run: SimulatedRun): Promise<ScriptMismatch | null> {
  try {
    await playSimulatedRun(run);
    return null;
  } catch (error) {
    if (!(error instanceof MissingOutputError)) throw error;
    const { node, message } = error;
    return { kind: 'output', node, message, expected: 'an output', actual: null };
  }
}

const EXPECTED: Readonly<Record<Exclude<WaitingFor['kind'], 'timer'>, (waiting: WaitingFor) => ExpectedOutput>> = {
  approval: ({ node }) => ({
    message: `The node "${node}" waits for an approval, and no decision fits`,
    expected: ['approve', 'reject', 'timeout'],
  }),
  intervention: ({ node }) => ({
    message: `The node "${node}" has failed and waits for an intervention, and no decision fits`,
    expected: ['retry', 'skip', 'fail'],
  }),
  event: ({ node, id = '' }) => ({
    message: `The node "${node}" waits for the event "${id}", which does not come`,
    expected: id,
  }),
};

type ExpectedOutput = Pick<ScriptMismatch, 'message' | 'expected'>;

/** Returns the mismatch for the first thing that a run waits for. */
function toWaitMismatch(waitingFor: readonly WaitingFor[]): ScriptMismatch {
  for (const waiting of waitingFor) {
    const { kind, node } = waiting;
    if (kind !== 'timer') return { kind, node, ...EXPECTED[kind](waiting), actual: null };
  }
  const message = 'The run pauses, and a test has no one who resumes it';
  return { kind: 'pause', node: null, message, expected: null, actual: null };
}

/** The expectations of a test. */
export interface ExpectedWay {
  /** The nodes in the order in which they begin. */
  readonly path?: readonly string[] | undefined;
  /** Expected values of channels; channels that are not named may have any value. */
  readonly state?: JsonObject | undefined;
}

/** The path and the state of a run. */
interface ActualOutcome {
  readonly path: readonly string[];
  readonly state: JsonObject;
}

/** Finds the first deviation of a run from the expectations. @returns `null` if there is none */
function findMismatch({ path, state }: ExpectedWay, run: ActualOutcome): ScriptMismatch | null {
  const ofPath = path && compareOutcomePart('path', [...path], [...run.path]);
  return ofPath ?? (state ? compareOutcomePart('state', state, pickNamedMembers(state, run.state)) : null);
}

function pickNamedMembers(named: JsonObject, state: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(named).flatMap((name) => {
      const value = own(state, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function compareOutcomePart(kind: 'path' | 'state', expectedPart: Json, actualPart: Json): ScriptMismatch | null {
  const difference = firstDifference(expectedPart, actualPart);
  if (!difference) return null;
  const { expected = null, actual = null } = difference;
  return { kind, node: null, message: describeDifference(kind, difference), expected, actual };
}

/**
 * The reason why a test fails: the run needs an answer that the script does not contain, or deviates from the
 * expectations.
 */
export interface ScriptMismatch {
  /** The kind of the missing answer, or of the deviation; `pause`: the run pauses and nothing resumes it. */
  readonly kind: 'output' | 'approval' | 'intervention' | 'event' | 'pause' | 'path' | 'state';
  /** The node that needs the answer; `null` for none. */
  readonly node: string | null;
  readonly message: string;
  /** The answers that would continue the run; for an event its name, for a path or a state the expected value. */
  readonly expected: Json;
  /** The actual value. */
  readonly actual: Json;
}

/** The answers to the calls of nodes, by the nodes' own ids: one for each call, in the order of the calls. */
export type NodeOutputs = Readonly<Record<string, readonly Json[]>>;

/** A node makes a call for which the script has no more answers. */
class MissingOutputError extends MissingAnswerError {
  readonly node: string;

  constructor({ node, request }: Pick<CallTask, 'node' | 'request'>, count: number) {
    const { kind, name } = calleeOf(request);
    super(
      `The node "${node}" makes call ${count + 1}, of the ${CALL_KIND_NAMES[kind]} "${name}", and has ${count} outputs`,
    );
    this.name = 'MissingOutputError';
    this.node = node;
  }
}

/** Creates the fakes of a run's calls from the outputs of its nodes. */
function createScriptedCalls(outputs: NodeOutputs, { tools }: Pick<Catalog, 'tools'>): (task: CallTask) => FakeCall {
  const taken = new Map<string, number>();
  return ({ node, request }) => ({
    safety: request.kind === 'model' ? 'idempotent' : request.effect,
    execute: async () => {
      if (request.kind === 'reading') return { kind: 'value', value: readByDefaults(request, tools) };
      const script = own(outputs, node) ?? [];
      const at = taken.get(node) ?? 0;
      const output = script[at];
      if (output === undefined) throw new MissingOutputError({ node, request }, script.length);
      taken.set(node, at + 1);
      return await Promise.resolve(toCallReply(output, request));
    },
  });
}

/**
 * Reads arguments without the tool's own schema, because no code runs in a JSON test: only the defaults of its JSON
 * Schema apply.
 */
function readByDefaults({ tool, args }: ReadingRequest, tools: Catalog['tools']): Json {
  return addDefaults(args, own(tools, tool)?.parameters ?? true);
}

/** @throws CallError for an output that is `{ "$error": … }` */
function toCallReply(output: Json, { kind }: CallRequest): CallReply {
  const message = isJsonObject(output) ? own(output, '$error') : undefined;
  if (typeof message === 'string') throw new CallError(FAILURE_CODES[kind], message, REFUSED);
  return kind === 'model' ? toModelReply(output) : { kind: 'value', value: output };
}

/** If the script gives no finish reason and usage, those of a short answer are used. */
function toModelReply(output: Json): ModelReply {
  const { text = '', toolCalls = [], finishReason = 'stop' } = toOwnReply(toScriptedAnswer(output));
  return {
    kind: 'model',
    text,
    toolCalls: toolCalls.map(({ id = '', name, args }) => ({ id, name, args })),
    finishReason,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}

const ANSWER_FIELDS: ReadonlySet<string> = new Set(['text', 'json', 'toolCalls']);

/**
 * Reads a text, or an object that has only parts of an answer. Any other value becomes the JSON of the model's answer.
 */
function toScriptedAnswer(output: Json): ScriptedAnswer {
  if (typeof output === 'string') return { text: output };
  const names = isJsonObject(output) ? Object.keys(output) : [];
  if (!isJsonObject(output) || names.length === 0 || names.some((name) => !ANSWER_FIELDS.has(name)))
    return { json: output };
  const { text, json, toolCalls } = output;
  return { ...(typeof text === 'string' && { text }), json, toolCalls: toToolCalls(toolCalls) };
}

function toToolCalls(calls: Json | undefined): NonNullable<ScriptedAnswer['toolCalls']> {
  if (calls === undefined || !isJsonList(calls)) return [];
  return calls.flatMap((call) => {
    if (!isJsonObject(call) || typeof call['tool'] !== 'string') return [];
    const { tool, args = {}, id } = call;
    return [{ tool, args, ...(typeof id === 'string' && { id }) }];
  });
}

const CALL_KIND_NAMES = {
  model: 'model',
  tool: 'tool',
  function: 'function',
  node: 'node type',
  reading: 'tool',
} as const;

const FAILURE_CODES: Readonly<Record<CallRequest['kind'], RunErrorCode>> = {
  model: 'MODEL_FAILED',
  tool: 'TOOL_FAILED',
  function: 'FUNCTION_FAILED',
  node: 'FUNCTION_FAILED',
  reading: 'INVALID_TOOL_ARGUMENTS',
};
