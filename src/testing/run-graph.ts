import type { ChannelInputs, ChannelValues, Channels } from '../builder/channel-update.ts';
import { InvalidGraphError } from '../builder/invalid-graph-error.ts';
import type { StateGraph } from '../builder/state-graph.ts';
import { parseConfig } from '../config/load-config.ts';
import type { Config } from '../config/load-config.ts';
import { toCatalog } from '../config/to-catalog.ts';
import { beginRun } from '../graph/advance/index.ts';
import type { RunIdentity } from '../graph/advance/index.ts';
import { checkInput, compileShared, missingInput } from '../graph/compile/index.ts';
import type { CompiledGraph } from '../graph/compile/index.ts';
import { hasErrors, namesUsed, pinCatalog } from '../graph/definition/index.ts';
import type { GraphDefinition, Limits } from '../graph/definition/index.ts';
import { isEnded, limitsOfRun } from '../graph/run/index.ts';
import type { Principal, OccurrenceBody } from '../graph/run/index.ts';
import { validateGraph } from '../graph/validate/index.ts';
import { toJsonObject, mapValues, toJson } from '../graph/values/index.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { CallPlayer } from '../simulation/call-player.ts';
import type { Decision } from '../simulation/decisions.ts';
import { planOutside } from '../simulation/plan-outside.ts';
import type { Clock, TestEvent, TestSignal, PlannedSignal } from '../simulation/plan-outside.ts';
import { playSimulatedRun, timeOutsOfOpenApprovals } from '../simulation/play.ts';
import type { SimulatedRun } from '../simulation/play.ts';
import { RunRecord } from '../simulation/run-record.ts';
import { createTimeline } from '../simulation/timeline.ts';
import type { SimulatedClock } from '../simulation/timeline.ts';
import { createFakeCalls } from './fake-calls.ts';
import { toFakeConfig } from './fake-config.ts';
import type { FakeConfig } from './fake-config.ts';
import type { Fakes } from './fakes.ts';
import { toTestRun } from './test-run.ts';
import { createTestMemory } from './test-memory.ts';
import type { TestMemory } from './test-memory.ts';
import type { TestRun, TestThread } from './test-run.ts';
import type { Memory } from '../store/memory/memory.ts';

/** The input of a graph: typed by the channels of a builder. */
export type InputOf<G> = G extends StateGraph<infer C, infer _Id> ? ChannelInputs<C> : JsonObject;

/** The state of a graph's run: typed by the channels of a builder. */
export type StateOf<G> = G extends StateGraph<infer C, infer _Id> ? ChannelValues<C> : JsonObject;

/**
 * Runs a graph in memory, with the engine's own interpreter: no server, no network, no waiting.
 * @returns the run when it has ended, or only waits for somebody
 * @throws InvalidGraphError if the graph has errors; TypeError if the input or an option can't be used;
 * MissingAnswerError if the run calls something that the test does not answer
 */
export async function runGraph<const G extends AnyGraph>(
  graph: G,
  input: InputOf<G>,
  options?: RunOptions,
): Promise<TestRun<StateOf<G>>>;
export async function runGraph(given: AnyGraph, input: object, options: RunOptions = {}): Promise<TestRun> {
  const { config = {}, ...rest } = options;
  return await playGraph(given, input, { config: parseConfig('config', config), options: rest });
}

/** All that a run under test meets. */
export interface RunOptions extends Fakes {
  /** What people decide, in this order. */
  readonly decisions?: readonly Decision[] | undefined;
  /** Events for `wait` nodes. */
  readonly events?: readonly TestEvent[] | undefined;
  /** Signals of other kinds, such as `cancel`, `pause`, `resume` and `edit`. */
  readonly signals?: readonly TestSignal[] | undefined;
  /** The start of the test's clock, and its end. */
  readonly clock?: Clock | undefined;
  /** Published graphs that nodes name. */
  readonly graphs?: Readonly<Record<string, AnyGraph>> | undefined;
  /** Who starts the run; by default `requester`, with the role `user`. */
  readonly startedBy?: Principal | undefined;
  /** Limits of this run, within those of its graph. */
  readonly limits?: Limits | undefined;
  /**
   * The thread of the run: an id for a new one, or `run.thread` of the run that it goes on from, whose channels and
   * memory it takes over.
   */
  readonly thread?: string | TestThread | undefined;
  /** Entries of long-term memory at the start, by namespace and key; they replace those of the thread. */
  readonly memory?: TestMemory | undefined;
}

export type AnyGraph = GraphDefinition | Pick<StateGraph<Channels, string>, 'toJSON'>;

/** A test of a graph whose configuration is checked. */
interface ConfiguredTest {
  readonly config: Config;
  readonly options: Omit<RunOptions, 'config'>;
}

/** As `runGraph`, with a configuration that is checked already. */
export async function playGraph(given: AnyGraph, input: object, { config, options }: ConfiguredTest): Promise<TestRun> {
  const clock: SimulatedClock = { now: startTimeOf(options), delayMs: 0, missing: null };
  const { graph, fakes } = prepareGraph(given, { config, options }, clock);
  const thread = openThread(options);
  const begin = { kind: 'input', input: toJsonObject(input), base: thread.state } as const;
  requireValidInput(graph, begin.input);
  const identity = toRunIdentity(graph, thread, options);
  const memory = createTestMemory(thread.memory, clock);
  const { id: runId, tenantId, graph: ran, createdBy } = identity;
  const timeline = createTimeline<OccurrenceBody>();
  const record = new RunRecord();
  const planned = planOutside(timeline, { options, by: createdBy, start: clock.now });
  const calls = new CallPlayer({
    toCall: createFakeCalls(fakes, options.secrets ?? {}, await memoryToolsOf(graph, memory, clock), (key, value) =>
      record.addProgress(key, value),
    ),
    owner: { runId, tenantId, graph: ran.name, createdBy },
    clock,
    timeline,
    onAttempt: (key) => record.addAttempt(key),
  });
  const decisions = [...(options.decisions ?? [])];
  const last = beginRun(graph, identity, begin, clock.now);
  const answered = new Set<string>();
  const heldTimers = timeOutsOfOpenApprovals;
  const run: SimulatedRun = { graph, last, clock, timeline, calls, record, decisions, answered, heldTimers };
  await playSimulatedRun(run);
  const left = { id: thread.id ?? DEFAULT_THREAD, runs: thread.runs, memory: memory.content() };
  return toTestRun(run, left, () => unusedAnswers(options, decisions, planned));
}

/** The thread of a run that begins. */
interface OpenThread extends Pick<TestThread, 'runs' | 'state' | 'memory'> {
  /** `null` if the test names none. */
  readonly id: string | null;
}

const DEFAULT_THREAD = 'thread-1';

/** @throws TypeError if the last run of the thread has not ended */
function openThread({ thread, memory = {} }: Pick<RunOptions, 'thread' | 'memory'>): OpenThread {
  if (thread === undefined || typeof thread === 'string') return { id: thread ?? null, runs: 1, state: {}, memory };
  const { id, runs, status, state } = thread;
  if (!isEnded(status))
    throw new TypeError(`The last run of the thread "${id}" is ${status}: the next one begins when it has ended`);
  return { id, runs: runs + 1, state, memory: { ...thread.memory, ...memory } };
}

/** The built-in tools are loaded only for a graph that offers them. */
async function memoryToolsOf({ definition }: CompiledGraph, memory: Memory, clock: SimulatedClock) {
  if (!JSON.stringify(definition).includes('"memory":')) return {};
  const { createMemoryTools } = await import('../activities/tools/memory-tools.ts');
  return createMemoryTools(memory, () => clock.now);
}

const DEFAULT_START_TIME = '2026-01-01T00:00:00Z';

function startTimeOf({ clock: { start = DEFAULT_START_TIME } = {} }: Pick<RunOptions, 'clock'>): number {
  const at = Date.parse(start);
  if (Number.isNaN(at)) throw new TypeError(`clock.start "${start}" is no time, such as ${DEFAULT_START_TIME}`);
  return at;
}

const REQUESTER: Principal = { sub: 'requester', roles: ['user'] };

function toRunIdentity(
  graph: CompiledGraph,
  thread: OpenThread,
  { startedBy = REQUESTER, limits: asked }: Pick<RunOptions, 'startedBy' | 'limits'>,
): RunIdentity {
  const { limits, refusal } = limitsOfRun(graph, asked);
  if (refusal)
    throw new TypeError([refusal.message, ...(refusal.issues ?? []).map(({ message }) => message)].join('\n'));
  const { name } = graph.definition;
  return {
    id: `run-${thread.runs}`,
    tenantId: 'test',
    threadId: thread.id,
    graph: { name, version: null, hash: 'test' },
    createdBy: startedBy,
    limits,
  };
}

/** Names what the test gives and the run has not taken. */
function unusedAnswers(
  { models = {} }: Pick<RunOptions, 'models'>,
  decisions: readonly Decision[],
  planned: readonly PlannedSignal[],
): readonly string[] {
  const scripts = Object.entries(models).flatMap(([name, model]) => {
    const left = 'left' in model ? model.left() : 0;
    return left > 0 ? [`${left} answers of the model "${name}"`] : [];
  });
  const undecided = decisions.map(({ decision, node }) => `the decision "${decision}" at "${node}"`);
  return [...undecided, ...planned.filter(({ isSent }) => !isSent).map(({ name }) => name), ...scripts];
}

/** A graph that can run, with the fakes that it meets. */
interface PreparedGraph {
  readonly graph: CompiledGraph;
  readonly fakes: FakeConfig;
}

/**
 * Validates a graph as `POST /api/graphs` does, against the configuration and the fakes of a test.
 * @throws InvalidGraphError
 */
function prepareGraph(given: AnyGraph, { config, options }: ConfiguredTest, clock: SimulatedClock): PreparedGraph {
  const definition = toGraphDefinition(given);
  const graphs = mapValues(options.graphs ?? {}, toGraphDefinition);
  const fakes = toFakeConfig({ base: config, fakes: options, used: namesUsed(definition, graphs) }, clock);
  const catalog = { ...toCatalog(fakes.config), graphs };
  const issues = validateGraph(toJson(definition), catalog);
  if (hasErrors(issues)) throw new InvalidGraphError(definition.name, issues);
  return { graph: compileShared(definition, pinCatalog(definition, catalog)), fakes };
}

function toGraphDefinition(graph: AnyGraph): GraphDefinition {
  return 'toJSON' in graph ? graph.toJSON() : graph;
}

/** @throws TypeError that lists all faults of the input */
function requireValidInput(graph: CompiledGraph, input: JsonObject): void {
  const missing = missingInput(graph, input).map((name) => `/${name}: it is required`);
  const faults = [...missing, ...checkInput(graph, input).map(({ path, message }) => `${path}: ${message}`)];
  if (faults.length > 0) throw new TypeError(`The graph does not take the input:\n${faults.join('\n')}`);
}
