import type { CompiledEdge, Outgoing, EdgeTargets } from '../compile/edges.ts';
import { START } from '../definition/definition.ts';
import { withEdgeAllowance, edgeBindings } from '../draft/frames.ts';
import type { Frame } from '../draft/frames.ts';
import { moveToPosition, setJoins } from '../draft/scope-draft.ts';
import { MAX_HELD_BYTES, approximateBytes, holdsTooMuch } from '../run/held-bytes.ts';
import { finishedNodesAt, namesOfNext, triggersAtPosition } from '../run/scope-position.ts';
import type { SortedTriggers } from '../run/scope-position.ts';
import type { ListElement, Trigger, Scope } from '../run/scope.ts';
import { GraphError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { Bindings } from '../expression/names.ts';
import { spendUnits } from '../values/meter.ts';

/** Evaluates the edges of finished nodes and adds their targets to the triggers. @returns the error of an edge */
export function triggerNextNodes(frame: Frame): RunError | null {
  try {
    const { triggers: all, joins } = evaluateEdges(frame);
    const { triggers, deferred } = sortTriggers(frame, all);
    setJoins(frame, joins);
    moveToPosition(frame, { kind: 'ready', triggers, hasPassedBreakpoint: false }, deferred);
    return null;
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    const { code, message } = error.cause;
    return { code, message, ...(error.node !== START && { node: error.node }), step: frame.step };
  }
}

/** Returns the current edge targets of a scope; none if an edge fails. */
export function previewNextNodes(frame: Frame): readonly string[] {
  try {
    return namesOfNext(sortTriggers(frame, evaluateEdges(frame).triggers));
  } catch (error) {
    if (error instanceof EdgeFailure) return [];
    throw error;
  }
}

/** Recomputes the next nodes of a graph at a breakpoint after nodes, because its state has changed. */
export function refreshNextNodes(frame: Frame): void {
  const { at } = frame.scope;
  if (at.kind === 'after') moveToPosition(frame, { ...at, next: previewNextNodes(frame) });
}

/** Separates triggers of ordinary nodes from those of deferred nodes. */
export function sortTriggers({ graph: { nodes } }: Frame, all: readonly Trigger[]): SortedTriggers {
  const isDeferred = ({ node }: Trigger): boolean => nodes.get(node)?.defer ?? false;
  return { triggers: all.filter((trigger) => !isDeferred(trigger)), deferred: all.filter(isDeferred) };
}

/** Finds the targets of a scope's edges. @throws EdgeFailure */
function evaluateEdges(frame: Frame): FiredEdges {
  const { graph, scope } = frame;
  const { at, deferred, joins } = scope;
  const input = {
    finished: [...new Set(finishedNodesAt(at))].sort(),
    already: [...triggersAtPosition(at), ...deferred],
    bindings: (edge: CompiledEdge) => edgeBindings(frame, edge),
    maxTasks: graph.catalog.ceilings.superstepTasks,
    maxBytes: MAX_HELD_BYTES - frame.draft.heldBytes,
  };
  return withEdgeAllowance(frame, () => fireEdges(graph.outgoing, joins, input));
}

/** The input of edge evaluation. */
interface EdgeInput {
  readonly finished: readonly string[];
  /** Triggers of the next superstep that are already known. */
  readonly already: readonly Trigger[];
  readonly bindings: (edge: CompiledEdge) => Bindings;
  /** The limit of tasks in a superstep. Each is an entry of the run and of its event history. */
  readonly maxTasks: number;
  /** The limit in bytes of list elements. */
  readonly maxBytes: number;
}

/** The targets of finished nodes' edges, and the arrivals at their joins. */
export interface FiredEdges {
  readonly triggers: readonly Trigger[];
  readonly joins: Scope['joins'];
}

/** An edge whose evaluation failed. The run fails at the edge's source. */
class EdgeFailure extends Error {
  readonly node: string;
  override readonly cause: GraphError;

  constructor(node: string, cause: GraphError) {
    super(cause.message);
    this.node = node;
    this.cause = cause;
  }
}

/** The state of one edge evaluation. */
interface EdgeFiring extends Omit<EdgeInput, 'finished' | 'already'> {
  readonly outgoing: Outgoing;
  readonly nodes: Set<string>;
  readonly elements: Trigger[];
  /** Targets of `forEach` over an empty list. */
  readonly empty: Set<string>;
  readonly joins: Record<string, readonly string[]>;
  /** Joins that have fired in this evaluation. */
  readonly used: Set<string>;
  /** The bytes of its elements. */
  bytes: number;
}

/**
 * Evaluates the edges of finished nodes in the order of source and entry, each entry independently. An untriggered node
 * with an empty `forEach` list counts as finished. A join fires at most once and consumes all arrivals, so the order of
 * its sources is irrelevant.
 * @throws EdgeFailure
 */
export function fireEdges(
  outgoing: Outgoing,
  joins: Scope['joins'],
  { finished, already, ...input }: EdgeInput,
): FiredEdges {
  const nodes = new Set(already.filter(({ element }) => !element).map(({ node }) => node));
  const elements = already.filter(({ element }) => element);
  const firing = {
    ...input,
    outgoing,
    nodes,
    elements,
    empty: new Set<string>(),
    joins: { ...joins },
    used: new Set<string>(),
    bytes: 0,
  };
  const fired = new Set<string>();
  for (let sources = finished; sources.length > 0; sources = emptyTargets(firing, fired)) {
    for (const source of sources) fireEdgesFrom(source, firing, fired);
  }
  return { triggers: [...[...nodes].map((node) => ({ node })), ...elements], joins: firing.joins };
}

function fireEdgesFrom(source: string, firing: EdgeFiring, fired: Set<string>): void {
  fired.add(source);
  for (const edge of firing.outgoing.get(source) ?? []) {
    failWithSource(source, () => fireEdge(edge, source, firing));
  }
}

function fireEdge(edge: CompiledEdge, source: string, firing: EdgeFiring): void {
  if (!addArrival(edge, source, firing)) return;
  const targets = edge.targets(firing.bindings(edge));
  if (targets.kind === 'nodes') for (const node of targets.nodes) firing.nodes.add(node);
  else addElements(targets, firing);
}

type ElementTrigger = Trigger & { readonly element: ListElement };

type ElementTargets = Extract<EdgeTargets, { readonly kind: 'elements' }>;

function addElements({ nodes, items, nodesOf, group }: ElementTargets, firing: EdgeFiring): void {
  const { elements, empty, maxTasks } = firing;
  const [sortedAs] = nodes;
  const chosen: ElementTrigger[] = [];
  for (const [index, item] of items.entries())
    for (const node of nodesOf(item, index)) {
      const element = { item, index, ...(group && { group }), ...(sortedAs !== node && { sortedAs }) };
      chosen.push({ node, element });
    }
  if (chosen.length === 0) for (const node of nodes) empty.add(node);
  const count = elements.length + chosen.length;
  if (count > maxTasks)
    throw new GraphError(
      'EXPRESSION_FAILED',
      `${count} tasks would run in one superstep; this installation allows ${maxTasks} (ceilings.superstepTasks)`,
    );
  spendUnits(chosen.length);
  firing.bytes += chosen.reduce<number>((sum, { element }) => sum + approximateBytes(element.item), 0);
  if (firing.bytes > firing.maxBytes) throw holdsTooMuch('The elements of this forEach');
  for (const trigger of chosen) elements.push(trigger);
}

function emptyTargets({ nodes, elements, empty }: EdgeFiring, fired: ReadonlySet<string>): readonly string[] {
  if (empty.size === 0) return [];
  const running = new Set([...nodes, ...elements.map(({ node }) => node)]);
  return [...empty].filter((node) => !running.has(node) && !fired.has(node)).sort();
}

/** Adds an arrival at an edge. @returns true if the edge fires; a join that fires drops its arrivals */
function addArrival({ id, sources }: CompiledEdge, source: string, { joins, used }: EdgeFiring): boolean {
  if (sources.length === 1) return true;
  if (used.has(id)) return false;
  const arrived = new Set([...(joins[id] ?? []), source]);
  joins[id] = [...arrived];
  spendUnits(1 + arrived.size);
  if (!sources.every((wanted) => arrived.has(wanted))) return false;
  delete joins[id];
  used.add(id);
  return true;
}

function failWithSource(source: string, fire: () => void): void {
  try {
    fire();
  } catch (error) {
    if (error instanceof GraphError) throw new EdgeFailure(source, error);
    throw error;
  }
}
