import { forkRun, refuseForkOf, refuseSkipOf, refuseStartAt, signalEndedRun } from '../../graph/advance/index.ts';
import type { Actor, Beginning, ForkStart, NodeAddress, RunIdentity } from '../../graph/advance/index.ts';
import { checkInput, compileShared, missingInput } from '../../graph/compile/index.ts';
import type { CompiledGraph, InputIssue } from '../../graph/compile/index.ts';
import type { Catalog, GraphDefinition, GraphIssue } from '../../graph/definition/index.ts';
import { DIAGRAM_WRITERS } from '../../graph/diagram/index.ts';
import type { DiagramFormat, Marks } from '../../graph/diagram/index.ts';
import { toRunView } from '../../graph/journal/index.ts';
import type { RunView } from '../../graph/journal/index.ts';
import { fillFromMessage, findTemplateFault } from '../../graph/expression/index.ts';
import type { FilledTemplate, Message } from '../../graph/expression/index.ts';
import { findRedaction } from '../../graph/redaction/index.ts';
import type { InheritedRedaction, Redaction } from '../../graph/redaction/index.ts';
import { refuseDecision } from '../../graph/run/index.ts';
import type {
  Approval,
  DecisionRequest,
  Principal,
  Refusal,
  Run,
  SentSignal,
  SignalResult,
} from '../../graph/run/index.ts';
import { validateGraph } from '../../graph/validate/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { replay } from '../../graph/replay/index.ts';
import type { Replayed, ReplayLog } from '../../graph/replay/index.ts';
import { playOutputs } from '../../simulation/play-outputs.ts';
import type { OutputsTest, TestedRun } from '../../simulation/play-outputs.ts';

/** A validated definition, with the part of the catalog that it uses. */
export interface RunnableGraph {
  readonly definition: GraphDefinition;
  readonly catalog: Catalog;
}

/** Picks the fields that a job needs. */
export function toRunnable({ definition, catalog }: RunnableGraph): RunnableGraph {
  return { definition, catalog };
}

/** The issues of an input: missing required channels, and values that the graph does not accept. */
export interface InputFaults {
  readonly missing: readonly string[];
  readonly issues: readonly InputIssue[];
}

/** A fork that is about to start. */
export interface ForkAttempt {
  readonly fork: ForkStart;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The same fork in the graph of its parent; `null` when the fork has the parent's graph. */
  readonly underParent: { readonly graph: RunnableGraph; readonly fork: ForkStart } | null;
}

/** An ended run after a signal was applied. */
export interface ReopenedRun {
  /** `null` when the run did not answer the signal. */
  readonly result: SignalResult | null;
  /** The public view of the run until its new execution writes one. */
  readonly view: RunView;
}

/**
 * Jobs on definitions and data of untrusted clients. A job has no side effects, and its parameters and result can be
 * cloned, so that a thread can execute it.
 */
const JOBS = {
  checkInput(graph: RunnableGraph, input: JsonObject): InputFaults {
    const compiled = compileRunnable(graph);
    return { missing: missingInput(compiled, input), issues: checkInput(compiled, input) };
  },
  findRedaction: (graph: RunnableGraph, inherited: InheritedRedaction): Redaction =>
    findRedaction(compileRunnable(graph), inherited),
  refuseStartAt: (graph: RunnableGraph, startAt: string, by: Principal, now: number): Refusal | null =>
    refuseStartAt(compileRunnable(graph), startAt, by, now),
  refuseSkips(graph: RunnableGraph, nodes: readonly NodeAddress[], actor: Actor): readonly (Refusal | null)[] {
    const compiled = compileRunnable(graph);
    return nodes.map((node) => refuseSkipOf(compiled, node, actor));
  },
  /** The details of the approval are not needed and may be large, so they are left out. */
  refuseDecision: (approval: Approval, request: DecisionRequest): Refusal | null => refuseDecision(approval, request),
  refuseFork(graph: RunnableGraph, identity: RunIdentity, attempt: ForkAttempt): Refusal | null {
    const { fork, startedAt, underParent } = attempt;
    const refusal =
      underParent && refuseForkOf(compileRunnable(underParent.graph), identity, { fork: underParent.fork, startedAt });
    if (refusal) return refusal;
    const forked = forkRun(compileRunnable(graph), identity, { fork, startedAt });
    return 'code' in forked ? forked : null;
  },
  signalEnded(graph: RunnableGraph, run: Run, signal: SentSignal, now: number): ReopenedRun {
    const after = signalEndedRun(compileRunnable(graph), run, { ...signal, now }).run;
    const { signalId } = signal.payload;
    return {
      result: after.signalResults.find(({ id }) => id === signalId) ?? null,
      view: viewUntilThen(run, after),
    };
  },
  /** Runs a graph with given outputs of its nodes. @param now milliseconds since the epoch */
  test: async (graph: RunnableGraph, identity: RunIdentity, test: OutputsTest, now: number): Promise<TestedRun> =>
    await playOutputs(compileRunnable(graph), { identity, test, now }),
  draw: (definition: GraphDefinition, marks: Marks, format: DiagramFormat): string =>
    DIAGRAM_WRITERS[format](definition, marks),
  findTemplateFault: (template: Json) => findTemplateFault(template),
  fillFromMessage: (template: Json, message: Message): FilledTemplate => fillFromMessage(template, message),
  replay: (graph: RunnableGraph, identity: RunIdentity, begin: Beginning, log: ReplayLog): Replayed =>
    replay({ graph: compileRunnable(graph), identity, begin, log }),
} as const;

/** Returns all jobs by name. @param catalog the catalog of the installation, which only `validate` needs whole */
export function createJobs(catalog: Catalog) {
  return {
    ...JOBS,
    validate: (definition: Json, graphs: Readonly<Record<string, GraphDefinition>>): readonly GraphIssue[] =>
      validateGraph(definition, { ...catalog, graphs }),
  };
}

type Jobs = ReturnType<typeof createJobs>;
export type JobName = keyof Jobs;
export type ParametersOf<Name extends JobName> = Parameters<Jobs[Name]>;
export type ResultOf<Name extends JobName> = Awaited<ReturnType<Jobs[Name]>>;

/** The processor time of a job in milliseconds, far above what a normal task needs. */
const LIMIT_MS = 10_000;
const LONGER_LIMITS_MS: Partial<Record<JobName, number>> = { refuseFork: 15_000, signalEnded: 15_000, replay: 60_000 };

/** Returns the limit of a job's processor time, in milliseconds. */
export function limitMsOf(name: JobName): number {
  return LONGER_LIMITS_MS[name] ?? LIMIT_MS;
}

function compileRunnable({ definition, catalog }: RunnableGraph): CompiledGraph {
  return compileShared(definition, catalog);
}

/**
 * After an edit of its state the run stays ended; after any other signal it counts as running until it writes a view.
 */
function viewUntilThen(before: Run, after: Run): RunView {
  const { raisedLimits } = after;
  const view = { ...toRunView(before), raisedLimits };
  return after.phase === before.phase ? view : { ...view, status: 'running', endedAt: null, output: null, error: null };
}

/** Executes work on definitions and data of untrusted clients without blocking the process. */
export interface GraphJobs {
  /**
   * Executes one job for a tenant when a thread is free.
   * @throws ApiError 422 when the job exceeds its time or memory, 429 when the tenant has too many waiting jobs, 503
   * when the machine is overloaded
   */
  do<Name extends JobName>(name: Name, tenantId: string, ...parameters: ParametersOf<Name>): Promise<ResultOf<Name>>;
  /**
   * Resolves once a thread has loaded its code. Otherwise, loading would use up the time of the first job.
   * @throws Error when this takes too long
   */
  ready(): Promise<void>;
  /** Ends the running jobs and the threads. */
  close(): Promise<void>;
}
