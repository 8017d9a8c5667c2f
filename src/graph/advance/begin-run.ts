import { findGraph } from '../compile/compile.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import { Draft } from '../draft/draft.ts';
import { emitOfRun, rootFrame } from '../draft/frames.ts';
import { scopeAtResumePoint } from '../journal/resume-point.ts';
import type { ResumePoint } from '../journal/resume-point.ts';
import { openCountdown } from '../lifecycle/deadlines.ts';
import { refuseReaching, toActor, refuseActingAs, refuseArrivals, refuseWriting } from '../lifecycle/gated-nodes.ts';
import type { Actor } from '../lifecycle/gated-nodes.ts';
import { carryChannels, freshScope, finishedNodesAt, triggersAtPosition } from '../run/scope-position.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/occurrence.ts';
import { readRun } from '../run/run.ts';
import type { StoredRun, Run, Breakpoints, ParentRun } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';
import { NOTHING_SPENT } from '../run/limits.ts';
import { enterScope } from '../superstep/open-superstep.ts';
import { toRunError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { advanceDraft, signalEndedRun } from './advance.ts';
import type { AdvanceResult } from './advance.ts';
import { approvalGates } from '../compile/approval-gates.ts';
import { START } from '../definition/definition.ts';
import { moveToPosition } from '../draft/scope-draft.ts';
import { editChannels } from '../lifecycle/edit-channels.ts';
import { refuseUnknownNode } from '../signals/refusals.ts';
import { triggerNextNodes, refreshNextNodes } from '../superstep/edges.ts';
import { saveFullCheckpoint } from '../superstep/save-checkpoint.ts';
import type { TaskReference } from '../run/ids.ts';

/** The start of an execution: an input, the state of another run, or an ended run with a signal. */
export type RunBeginning =
  | ({ readonly kind: 'input' } & Omit<RunStart, 'startedAt'>)
  | ({ readonly kind: 'fork'; readonly fork: ForkStart } & Pick<RunStart, 'breakpoints'>)
  | { readonly kind: 'reopen'; readonly run: StoredRun; readonly name: string; readonly payload: JsonObject };

/**
 * Begins the run of an execution. A fork that is refused here fails; its creator has checked it with `forkRun` before.
 * @param now milliseconds since the epoch
 * @throws if a later interpreter version wrote the run to reopen; a worker of that version can take it
 */
export function beginRun(graph: CompiledGraph, identity: RunIdentity, begin: RunBeginning, now: number): AdvanceResult {
  switch (begin.kind) {
    case 'input':
      return startRun(graph, identity, { ...begin, startedAt: now });
    case 'reopen':
      return signalEndedRun(graph, readRun(begin.run), { ...begin, now });
    case 'fork': {
      const { fork } = begin;
      return advanceDraft(draftOfFork(graph, identity, { ...begin, startedAt: now }), (draft) => {
        const refusal = beginFork(draft, fork);
        return refusal ? { code: 'INTERNAL', message: refusal.message } : undefined;
      });
    }
  }
}

/** The identity of a run, given by its creator. */
export type RunIdentity = Pick<Run, 'id' | 'tenantId' | 'threadId' | 'graph' | 'createdBy' | 'limits'>;

/** The start of a new run. */
export interface RunStart {
  readonly input: JsonObject;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The first node; defaults to the targets of the edges of `__start__`. */
  readonly startAt?: string | null;
  readonly breakpoints?: Breakpoints;
  /** Initial channel values instead of the defaults. */
  readonly base?: Scope['channels'];
}

/** Begins a run and continues until it needs input from outside. */
export function startRun(graph: CompiledGraph, identity: RunIdentity, start: RunStart): AdvanceResult {
  const { input, startedAt, startAt = null, base = {} } = start;
  const fresh = newRun(graph, identity, start);
  const root = { ...fresh.root, channels: carryChannels(graph, base) };
  return advanceDraft(new Draft(graph, { ...fresh, root }, startedAt), (draft) => enterRun(draft, input, startAt));
}

/** Begins a fork and continues until it needs input from outside. @returns the fork, or the reason for a refusal */
export function forkRun(graph: CompiledGraph, identity: RunIdentity, start: StartOfFork): AdvanceResult | Refusal {
  const draft = draftOfFork(graph, identity, start);
  try {
    return beginFork(draft, start.fork) ?? advanceDraft(draft, () => undefined);
  } catch (error) {
    return advanceDraft(draft, () => toRunError(error));
  }
}

/**
 * Refuses a fork with another graph if it would skip approvals of its parent's graph.
 * @param graph of the parent
 */
export function refuseForkOf(graph: CompiledGraph, identity: RunIdentity, start: StartOfFork): Refusal | null {
  return refuseByParent(draftOfFork(graph, identity, start), start.fork);
}

/** Refuses to begin at a node that is gated by approvals. */
export function refuseStartAt(graph: CompiledGraph, node: string, by: Principal, now: number): Refusal | null {
  const actor = { by, at: new Date(now).toISOString(), requesters: [by.sub], approvals: [] };
  return refuseReaching(graph, [node], actor);
}

type StartOfFork = Pick<RunStart, 'startedAt' | 'breakpoints'> & { readonly fork: ForkStart };

function draftOfFork(graph: CompiledGraph, identity: RunIdentity, { fork, ...start }: StartOfFork): Draft {
  const { parent, resumePoint } = fork;
  const { bufferedEvents, spent } = resumePoint;
  const { checkpoint: checkpointId } = parent;
  const root = scopeAtResumePoint(graph, fork.channels, fork.resumePoint, fork.step);
  const run = { ...newRun(graph, identity, start), parent, bufferedEvents, spent, checkpointId, root };
  return new Draft(graph, run, start.startedAt);
}

function newRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { startedAt, breakpoints = { before: [], after: [] } }: Pick<RunStart, 'startedAt' | 'breakpoints'>,
): Run {
  return {
    format: 1,
    ...identity,
    raisedLimits: {},
    shapedBy: [],
    parent: null,
    startedAt,
    phase: { kind: 'running', pause: null },
    root: freshScope(graph),
    calls: {},
    timers: {},
    approvals: {},
    signalResults: [],
    counted: [],
    bufferedEvents: [],
    areBufferedEventsSaved: true,
    breakpoints,
    countdown: openCountdown(identity.limits),
    compensation: { pending: [], undone: null, failures: [], perhapsMade: [] },
    spent: NOTHING_SPENT,
    computed: { superstep: 0, alone: 0 },
    checkpointId: null,
    counters: { seq: 0, checkpoint: 0, approval: 0, occurrence: 0 },
  };
}

function enterRun(draft: Draft, input: JsonObject, startAt: string | null): RunError | undefined {
  const { run } = draft;
  emitOfRun(draft, { type: 'run.started', graph: run.graph, by: run.createdBy.sub });
  return enterScope(rootFrame(draft), input, startAt) ?? undefined;
}

/** The start of a fork. */
export interface ForkStart {
  readonly parent: ParentRun;
  /** The parent's state at the checkpoint. */
  readonly channels: Scope['channels'];
  readonly resumePoint: ResumePoint;
  /** The number of the superstep that the checkpoint closed. */
  readonly step: number;
  /** Values that replace the parent's, written as `asNode`. */
  readonly values: JsonObject;
  readonly asNode: string | null;
}

/** Begins a fork with the parent's state at the checkpoint and the given values. @returns the reason for a refusal */
function beginFork(draft: Draft, { parent, values, asNode, step }: ForkStart): Refusal | null {
  const { run } = draft;
  const frame = rootFrame(draft);
  const { runId, checkpoint } = parent;
  emitOfRun(draft, { type: 'run.started', graph: run.graph, by: run.createdBy.sub, parent: { runId, checkpoint } });
  const refusal = findNodeRefusal(draft, asNode);
  if (refusal) return refusal;
  if (Object.keys(values).length > 0 || asNode !== null) {
    const edited = editChannels(draft, { values, by: run.createdBy, asNode: asNode ?? undefined });
    if (!edited.ok) return edited.refusal;
  }
  if (asNode !== null) moveToPosition(frame, { kind: 'edges', finished: [asNode], triggers: [] }, []);
  refreshNextNodes(frame);
  const failure = frame.scope.at.kind === 'after' ? null : triggerNextNodes(frame);
  const held = refusePosition(draft);
  if (held) return held;
  if (failure) return { code: 'INVALID_VALUES', message: failure.message, mayQuote: true };
  draft.bufferEvents(run.bufferedEvents);
  saveFullCheckpoint(frame, { source: 'fork', step, visited: Object.keys(frame.scope.visits) });
  return null;
}

function findNodeRefusal(draft: Draft, asNode: string | null): Refusal | null {
  const { run, graph } = draft;
  if (asNode !== null)
    return refuseUnknownNode(draft, asNode, '/asNode') ?? refuseActingAs(graph, asNode, toActor(draft, run.createdBy));
  const { at, deferred } = run.root;
  const nodes = [...triggersAtPosition(at), ...deferred].map(({ node }) => node).concat(finishedNodesAt(at));
  const missing = nodes.find((node) => node !== START && !graph.nodes.has(node));
  if (missing === undefined) return null;
  const message = `The graph has no node "${missing}", where the checkpoint goes on; name another by asNode`;
  return { code: 'MALFORMED', message, issues: [{ path: '/graph', message }] };
}

/**
 * Refuses a fork with another graph if it would skip approvals of its parent's graph.
 * @param draft of the fork, with the graph of the parent
 */
function refuseByParent(draft: Draft, { values, asNode }: ForkStart): Refusal | null {
  const { graph, run } = draft;
  const actor = toActor(draft, run.createdBy);
  const refusal = refuseWriting(graph, Object.keys(values), actor);
  if (refusal) return refusal;
  if (asNode === null) return refusePosition(draft);
  return (
    refuseActingAs(graph, asNode, actor) ??
    refuseReaching(graph, approvalGates(graph).after(asNode), actor) ??
    refuseArrivals(graph, arrivedNodes(run.root), actor)
  );
}

/**
 * Refuses a fork that would continue behind approvals: at its next nodes, after a breakpoint, or with arrivals at
 * joins.
 */
function refusePosition(draft: Draft): Refusal | null {
  const { run, graph } = draft;
  const { at, deferred } = run.root;
  const gates = approvalGates(graph);
  const after = finishedNodesAt(at).flatMap((node) => gates.after(node));
  const next = [...triggersAtPosition(at), ...deferred].map(({ node }) => node).concat(after);
  const actor = toActor(draft, run.createdBy);
  return refuseReaching(graph, next, actor) ?? refuseArrivals(graph, arrivedNodes(run.root), actor);
}

function arrivedNodes({ joins }: Scope): readonly string[] {
  return Object.values(joins).flat();
}

/** A node of a graph, or of a graph inside it. */
export type NodeAddress = Pick<TaskReference, 'node' | 'path'>;

/**
 * Refuses to skip a node whose result stands for a decision of people, as the `skip` signal does. This check knows only
 * the graph, not the approvals that a run has requested for calls of the node.
 */
export function refuseSkipOf(graph: CompiledGraph, { node, path = [] }: NodeAddress, actor: Actor): Refusal | null {
  const inner = findGraph(graph, path);
  return inner?.nodes.has(node) ? refuseActingAs(inner, node, actor) : null;
}
