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

/** A fork, with the graphs of the run and of its parent. */
export interface ForkTrial {
  readonly graph: RunnableGraph;
  readonly identity: RunIdentity;
  readonly fork: ForkStart;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The same fork in the graph of its parent; `null` when the fork has the parent's graph. */
  readonly underParent: { readonly graph: RunnableGraph; readonly fork: ForkStart } | null;
}

/** A dry run of a graph with given node outputs. */
export interface GraphTrial {
  readonly graph: RunnableGraph;
  readonly identity: RunIdentity;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly test: OutputsTest;
}

/** An ended run after a signal was applied. */
export interface Reopened {
  /** `null` when the run did not answer the signal. */
  readonly result: SignalResult | null;
  /** The public view of the run until its new execution writes one. */
  readonly view: RunView;
}

/**
 * Jobs on definitions and data of untrusted clients. A job has no side effects, and its task and result can be cloned,
 * so that a thread can execute it. The time limits, in milliseconds, are far above what a normal task needs.
 */
export const JOBS = {
  validate: {
    limitMs: 10_000,
    work: (
      catalog: Catalog,
      { definition, graphs }: { definition: Json; graphs: Readonly<Record<string, GraphDefinition>> },
    ): readonly GraphIssue[] => validateGraph(definition, { ...catalog, graphs }),
  },
  checkInput: {
    limitMs: 10_000,
    work: (_: Catalog, { graph, input }: { graph: RunnableGraph; input: JsonObject }): InputFaults => {
      const compiled = compile(graph);
      return { missing: missingInput(compiled, input), issues: checkInput(compiled, input) };
    },
  },
  findRedaction: {
    limitMs: 10_000,
    work: (_: Catalog, { graph, inherited }: { graph: RunnableGraph; inherited: InheritedRedaction }): Redaction =>
      findRedaction(compile(graph), inherited),
  },
  refuseStartAt: {
    limitMs: 10_000,
    work: (
      _: Catalog,
      { graph, startAt, by, now }: { graph: RunnableGraph; startAt: string; by: Principal; now: number },
    ): Refusal | null => refuseStartAt(compile(graph), startAt, by, now),
  },
  refuseSkips: {
    limitMs: 10_000,
    work: (
      _: Catalog,
      { graph, places, actor }: { graph: RunnableGraph; places: readonly NodeAddress[]; actor: Actor },
    ): readonly (Refusal | null)[] => {
      const compiled = compile(graph);
      return places.map((place) => refuseSkipOf(compiled, place, actor));
    },
  },
  /** The details of the approval are not needed and may be large, so they are left out. */
  refuseDecision: {
    limitMs: 10_000,
    work: (_: Catalog, { approval, request }: { approval: Approval; request: DecisionRequest }): Refusal | null =>
      refuseDecision(approval, request),
  },
  refuseFork: {
    limitMs: 15_000,
    work: (_: Catalog, { graph, identity, fork, startedAt, underParent }: ForkTrial): Refusal | null => {
      const held =
        underParent && refuseForkOf(compile(underParent.graph), identity, { fork: underParent.fork, startedAt });
      if (held) return held;
      const tried = forkRun(compile(graph), identity, { fork, startedAt });
      return 'code' in tried ? tried : null;
    },
  },
  signalEnded: {
    limitMs: 15_000,
    work: (
      _: Catalog,
      { graph, run, signal, now }: { graph: RunnableGraph; run: Run; signal: SentSignal; now: number },
    ): Reopened => {
      const after = signalEndedRun(compile(graph), run, { ...signal, now }).run;
      const { signalId } = signal.payload;
      return {
        result: after.signalResults.find(({ id }) => id === signalId) ?? null,
        view: viewUntilThen(run, after),
      };
    },
  },
  test: {
    limitMs: 10_000,
    work: async (_: Catalog, { graph, ...trial }: GraphTrial): Promise<TestedRun> =>
      await playOutputs(compile(graph), trial),
  },
  draw: {
    limitMs: 10_000,
    work: (
      _: Catalog,
      { definition, marks, format }: { definition: GraphDefinition; marks: Marks; format: DiagramFormat },
    ): string => DIAGRAM_WRITERS[format](definition, marks),
  },
  findTemplateFault: {
    limitMs: 10_000,
    work: (_: Catalog, { template }: { template: Json }) => findTemplateFault(template),
  },
  fillFromMessage: {
    limitMs: 10_000,
    work: (_: Catalog, { template, message }: { template: Json; message: Message }): FilledTemplate =>
      fillFromMessage(template, message),
  },
  replay: {
    limitMs: 60_000,
    work: (
      _: Catalog,
      { graph, ...start }: { graph: RunnableGraph; identity: RunIdentity; begin: Beginning; log: ReplayLog },
    ): Replayed => replay({ ...start, graph: compile(graph) }),
  },
} as const;

export type JobName = keyof typeof JOBS;
export type TaskOf<Name extends JobName> = Parameters<(typeof JOBS)[Name]['work']>[1];
export type ResultOf<Name extends JobName> = Awaited<ReturnType<(typeof JOBS)[Name]['work']>>;

function compile({ definition, catalog }: RunnableGraph): CompiledGraph {
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
