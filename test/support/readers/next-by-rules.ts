import { targetsOfForEach } from '../../../src/graph/definition/definition.ts';
import type {
  EdgeDefinition,
  ForEachEdge,
  GraphDefinition,
  RouteEdge,
  Target,
} from '../../../src/graph/definition/definition.ts';
import { foldCheckpoints } from '../../../src/graph/journal/resume-point.ts';
import type { Checkpoint } from '../../../src/graph/journal/resume-point.ts';
import type { RunEvent } from '../../../src/graph/journal/events.ts';
import { isJsonList, isJsonObject } from '../../../src/graph/values/json.ts';
import type { Json } from '../../../src/graph/values/json.ts';

/*
 * A second, simple implementation of the rules of edges: it computes the nodes of each superstep from the events of
 * earlier ones. It knows the expressions of the random graphs, and nothing of the interpreter.
 */

export interface History {
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
}

interface Walk {
  readonly definition: GraphDefinition;
  readonly joins: Map<EdgeDefinition, Set<string>>;
  deferred: Set<string>;
}

type State = Readonly<Record<string, Json>>;

/** The nodes of each superstep, plus the next one if the run was stopped early. */
export function nextByRules(definition: GraphDefinition, { events, checkpoints }: History): readonly string[][] {
  const walk: Walk = { definition, joins: new Map(), deferred: new Set() };
  const steps = [after(walk, ['__start__'], { jumped: [], state: stateAfter(checkpoints, -1) })];
  for (const { step, source } of checkpoints) {
    if (source !== 'loop') continue;
    const own = events.filter((event) => event.step === step && 'node' in event && event.node !== undefined);
    steps.push(
      after(walk, finishedIn(own, definition), {
        jumped: jumpsIn(own, definition),
        state: stateAfter(checkpoints, step),
      }),
    );
  }
  return steps.filter((nodes) => nodes.length > 0);
}

/** An ephemeral channel is in no checkpoint, so the random graphs' conditions on it count as unknown. */
function stateAfter(checkpoints: readonly Checkpoint[], step: number): State {
  return foldCheckpoints(checkpoints.filter((checkpoint) => checkpoint.step <= step));
}

function nodesIn(events: readonly RunEvent[], ...types: RunEvent['type'][]): string[] {
  const found = events.flatMap((event) => ('node' in event && types.includes(event.type) ? [event.node ?? ''] : []));
  return [...new Set(found)].toSorted();
}

/** The command that a function of the random graphs returns. */
function commandOf({ nodes }: GraphDefinition, id: string): { goto: readonly string[]; control: Json } {
  const node = nodes[id];
  const give = node?.type === 'function' ? member(node.args ?? null, 'give') : null;
  const goto = member(give, 'goto');
  const names = isJsonList(goto) ? goto.filter((name) => typeof name === 'string') : [];
  return { goto: names, control: member(give, 'control') };
}

function member(value: Json, name: string): Json {
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

/** A skipped node has not executed, so it has returned no command. */
function finishedIn(events: readonly RunEvent[], definition: GraphDefinition): string[] {
  const completed = nodesIn(events, 'node.completed').filter(
    (node) => commandOf(definition, node).control !== 'replan',
  );
  return [...new Set([...completed, ...nodesIn(events, 'node.skipped')])].toSorted();
}

function jumpsIn(events: readonly RunEvent[], definition: GraphDefinition): string[] {
  const gone = nodesIn(events, 'node.completed').flatMap((node) => commandOf(definition, node).goto);
  const diverted = nodesIn(events, 'node.failed').flatMap((node) => {
    const onError = definition.nodes[node]?.onError;
    return typeof onError === 'object' ? [onError.to] : [];
  });
  return [...gone, ...diverted];
}

function after(
  walk: Walk,
  finished: readonly string[],
  { jumped, state }: { jumped: readonly string[]; state: State },
): string[] {
  const { definition } = walk;
  const next = new Set(jumped);
  const empty = new Set<string>();
  const fired = new Set<string>();
  const used = new Set<EdgeDefinition>();
  const fire = (sources: readonly string[]): void => {
    for (const source of sources) fired.add(source);
    for (const edge of definition.edges.flatMap((each) => firings(walk, each, { sources, used }))) {
      const nodes = leads(edge, state);
      for (const node of nodes) next.add(node);
      if ('forEach' in edge && nodes.length === 0) for (const node of nodesOf(targetsOfForEach(edge))) empty.add(node);
    }
  };
  fire(finished);
  for (;;) {
    const passed = [...empty]
      .filter((node) => !next.has(node) && !fired.has(node) && !walk.deferred.has(node))
      .toSorted();
    if (passed.length === 0) break;
    fire(passed);
  }
  next.delete('__end__');
  for (const node of next) if (definition.nodes[node]?.defer) walk.deferred.add(node);
  const now = [...next].filter((node) => !definition.nodes[node]?.defer);
  if (now.length > 0) return now.toSorted();
  const last = [...walk.deferred].toSorted();
  walk.deferred = new Set();
  return last;
}

const toList = (target: Target): readonly string[] => (typeof target === 'string' ? [target] : target);

/** Evaluates an edge: all arrivals of a superstep count together, and a join that fires uses up all of them. */
function firings(
  { joins }: Walk,
  edge: EdgeDefinition,
  { sources, used }: { readonly sources: readonly string[]; readonly used: Set<EdgeDefinition> },
): readonly EdgeDefinition[] {
  const wanted = toList(edge.from);
  const arrived = new Set([...(joins.get(edge) ?? []), ...sources.filter((source) => wanted.includes(source))]);
  joins.set(edge, used.has(edge) ? new Set() : arrived);
  if (used.has(edge) || !wanted.every((source) => arrived.has(source))) return [];
  joins.delete(edge);
  used.add(edge);
  return [edge];
}

function leads(edge: EdgeDefinition, state: State): readonly string[] {
  if ('forEach' in edge) return listOf(edge.forEach, state).length > 0 ? nodesOf(leadsElement(edge, state)) : [];
  if ('route' in edge) return routeOf(edge, state);
  if (!('branches' in edge)) return toList(edge.to);
  const chosen = edge.branches.find(({ when }) => when === undefined || holds(when, state));
  return chosen ? toList(chosen.to) : [];
}

/** No route of a random graph depends on its element. */
function leadsElement(
  { to, route, paths = {}, default: otherwise = [] }: ForEachEdge,
  state: State,
): readonly Target[] {
  return to === undefined ? routeOf({ route: route ?? '', paths, default: otherwise }, state) : [to];
}

function routeOf({ route, paths, default: otherwise = [] }: Omit<RouteEdge, 'from'>, state: State): readonly string[] {
  return listOf(route, state).flatMap((value) => toList(paths[typeof value === 'string' ? value : ''] ?? otherwise));
}

function nodesOf(targets: readonly Target[]): readonly string[] {
  return targets.flatMap(toList).filter((node) => node !== '__end__');
}

function holds(when: string, { total = null, log = null }: State): boolean {
  if (when === 'state.total > 2') return Number(total) > 2;
  if (when === 'size(state.log) < 3') return isJsonList(log) && log.length < 3;
  return when === 'true';
}

function listOf(expression: string, state: State): readonly Json[] {
  const [, channel = ''] = /^state\.(\w+)$/.exec(expression) ?? [];
  const value = state[channel] ?? [];
  if (channel !== '') return isJsonList(value) ? value : [];
  if (expression.startsWith('state.')) return [Number(state['total']) > 2 ? 'a' : 'c'];
  return JSON.parse(expression.startsWith('[') ? expression.replaceAll("'", '"') : `["${expression.slice(1, -1)}"]`);
}
