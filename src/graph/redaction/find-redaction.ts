import { START } from '../definition/definition.ts';
import { own } from '../values/json.ts';
import { expressionsOfTemplate, maskOfTemplate, nodesWithEvents, readGraphParts, ROOT_GRAPH } from './graph-parts.ts';
import type { ParsedTemplate, GraphPart, PinnedDefinition, NodeTexts } from './graph-parts.ts';
import {
  ValueFlows,
  addGraphFlows,
  readingNodeOf,
  channelLocation,
  readsResult,
  nodeLocation,
  locationsOfSources,
  startErrorLocation,
} from './value-flows.ts';
import type { LocatedNode } from './value-flows.ts';
import { NOTHING_REDACTED } from './redaction.ts';
import type { InheritedRedaction, FieldMask, GraphRedaction, NodeRedaction, Redaction } from './redaction.ts';

/**
 * Finds what is redacted in a run of a definition: its redacted channels, and everything that their content may flow to
 * through the whole definition.
 * @param inherited the redaction of the runs whose data this run takes over
 */
export function findRedaction(pinned: PinnedDefinition, inherited: InheritedRedaction = {}): Redaction {
  const parts = readGraphParts(pinned);
  const redacted = redactedLocations(parts, inherited);
  if (redacted.size === 0 && !inherited.events) return NOTHING_REDACTED;
  const flows = new ValueFlows();
  for (const part of parts.values()) addGraphFlows(flows, part);
  const analysis: FlowAnalysis = { parts, redacted, derived: flows.reach(redacted), known: new Map() };
  const published = [...parts].flatMap(([id, part]) => {
    const redaction = id.startsWith('@') && !id.includes('/') ? redactionOfPart(part, analysis) : null;
    return redaction ? [[id.slice(1), redaction] as const] : [];
  });
  const root = parts.get(ROOT_GRAPH);
  return {
    ...withInheritedRedaction((root && redactionOfPart(root, analysis)) ?? NOTHING_REDACTED, inherited),
    graphs: Object.fromEntries(published),
    ...redactedInCheckpoint(analysis, inherited),
  };
}

/**
 * A run gets the input of the run that it follows and passes it on, so it keeps redacted channel names that its own
 * graph does not have.
 */
function withInheritedRedaction({ channels, nodes }: GraphRedaction, inherited: InheritedRedaction): GraphRedaction {
  return { channels: [...new Set([...channels, ...(inherited.channels ?? [])])], nodes };
}

/** Returns what a checkpoint of the run may hold besides channels. */
function redactedInCheckpoint(
  analysis: FlowAnalysis,
  inherited: InheritedRedaction,
): Pick<Redaction, 'items' | 'events'> {
  const nodes = [...(analysis.parts.get(ROOT_GRAPH)?.nodes.keys() ?? [])];
  const withItems = nodes.filter((node) => analysis.derived.has(nodeLocation(ROOT_GRAPH, node, 'item')));
  const items = [...new Set([...withItems, ...(inherited.items ?? [])])];
  const events = inherited.events === true || [...analysis.parts.values()].some((part) => hidesEvents(part, analysis));
  return { ...(items.length > 0 && { items }), ...(events && { events }) };
}

function hidesEvents(part: GraphPart, analysis: FlowAnalysis): boolean {
  const { nodes = {} } = redactionOfPart(part, analysis) ?? {};
  return nodesWithEvents(part).some((node) => own(nodes, node)?.result);
}

interface FlowAnalysis {
  readonly parts: ReadonlyMap<string, GraphPart>;
  /** The channels that are redacted by their definitions, or inherited. */
  readonly redacted: ReadonlySet<string>;
  /** These, and all locations that their content may flow to. */
  readonly derived: ReadonlySet<string>;
  /** The results so far by graph, because many nodes may run the same one. */
  readonly known: Map<string, GraphRedaction | null>;
}

/** @returns `null` if nothing of the graph is redacted */
function redactionOfPart(part: GraphPart, analysis: FlowAnalysis): GraphRedaction | null {
  const known = analysis.known.get(part.id);
  if (known !== undefined) return known;
  const redaction = makeRedaction(part, analysis);
  analysis.known.set(part.id, redaction);
  return redaction;
}

function makeRedaction({ id, definition, nodes }: GraphPart, analysis: FlowAnalysis): GraphRedaction | null {
  const { derived } = analysis;
  const channels = Object.keys(definition.channels ?? {}).filter((name) => derived.has(channelLocation(id, name)));
  const ofNodes = [...nodes].flatMap(([node, part]) => {
    const redaction = redactionOfNode({ graph: id, id: node, ...part }, analysis);
    return Object.keys(redaction).length === 0 ? [] : [[node, redaction] as const];
  });
  const start = derived.has(startErrorLocation(id)) ? [[START, { error: true }] as const] : [];
  if (channels.length + ofNodes.length + start.length === 0) return null;
  return { channels, nodes: Object.fromEntries([...start, ...ofNodes]) };
}

function redactionOfNode(node: LocatedNode, analysis: FlowAnalysis): NodeRedaction {
  const { graph, id, texts } = node;
  const filling = membersWrittenToRedacted(node, analysis);
  const isDerived = (part: string): boolean => analysis.derived.has(nodeLocation(graph, id, part));
  const isHidden = (source: string): boolean =>
    locationsOfSources([source], readingNodeOf(node)).some((location) => analysis.derived.has(location)) ||
    (filling.size > 0 && readsResult(source));
  const fields = visibleFields(texts, isHidden);
  const inside = redactionInside(node, analysis);
  const later = [...texts.laterFields.values()].flatMap(expressionsOfTemplate);
  const flags = {
    calls: requestsCalls(node) && isDerived('calls'),
    result: isDerived('result') || filling.size > 0,
    values: isDerived('values') || filling.has('result') || filling.has('result.values'),
    undone: isDerived('undone') || later.some(({ sources }) => [...sources().read].some(isHidden)),
    error: isDerived('error'),
  };
  return {
    ...(Object.keys(fields).length > 0 && { fields }),
    ...Object.fromEntries(Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [[flag, true as const]] : []))),
    ...(inside !== null && { inside }),
  };
}

type IsHidden = (source: string) => boolean;

/** Returns the masks of a node's visible fields. Fields that are members of the arguments share a mask. */
function visibleFields({ fields, laterFields, description }: NodeTexts, isHidden: IsHidden): MasksByField {
  const { members = [], ...whole } = description.visible ?? {};
  const filled = [...fields, ...laterFields];
  const masksAt = (visible: readonly string[]): MasksByField =>
    findMasks(
      filled.filter(([field]) => visible.includes(field)),
      isHidden,
    );
  const parts = masksAt(members);
  return {
    ...masksAt(Object.values(whole).flat()),
    ...(Object.keys(parts).length > 0 && { args: { in: 'object', parts } }),
  };
}

type MasksByField = Readonly<Record<string, FieldMask>>;

function findMasks(texts: readonly (readonly [string, ParsedTemplate | null])[], isHidden: IsHidden): MasksByField {
  const masks = texts.flatMap(([field, filled]) => {
    const mask = maskOfTemplate(filled, ({ sources }) => [...sources().content].some(isHidden));
    return mask === null ? [] : [[field, mask] as const];
  });
  return Object.fromEntries(masks);
}

/**
 * Returns the result, or members of it, that a node writes to redacted channels, because the answer of its call holds
 * their values.
 */
function membersWrittenToRedacted({ graph, texts }: LocatedNode, { redacted }: FlowAnalysis): ReadonlySet<string> {
  const isRedacted = (channel: string): boolean => redacted.has(channelLocation(graph, channel));
  const written = [...texts.writes]
    .filter(([channel]) => isRedacted(channel))
    .flatMap(([, text]) => expressionsOfTemplate(text));
  const sources = written.flatMap((expression) => [...expression.sources().content]);
  const whole = texts.resultTo !== null && isRedacted(texts.resultTo) ? ['result'] : [];
  return new Set([...whole, ...sources.filter(readsResult)]);
}

/** True if a model requests the calls that a node makes. */
function requestsCalls({ texts: { description, conversations } }: LocatedNode): boolean {
  const { approvals, makesCalls } = description;
  return approvals !== undefined || (makesCalls !== undefined && conversations.has(makesCalls.channel));
}

function redactionInside({ inside }: LocatedNode, analysis: FlowAnalysis): string | GraphRedaction | null {
  if (!inside) return null;
  const part = analysis.parts.get(inside.id);
  const redaction = part ? redactionOfPart(part, analysis) : null;
  return redaction && (inside.reference ?? redaction);
}

type PartsByGraph = ReadonlyMap<string, GraphPart>;

/** Returns the locations that are redacted initially: by the definition, or in another run. */
function redactedLocations(parts: PartsByGraph, inherited: InheritedRedaction): ReadonlySet<string> {
  const { channels = [], items = [], events = false } = inherited;
  return new Set([
    ...[...parts.values()].flatMap(redactedChannels),
    ...channels.map((channel) => channelLocation(ROOT_GRAPH, channel)),
    ...items.map((node) => nodeLocation(ROOT_GRAPH, node, 'item')),
    ...(events ? [...parts.values()].flatMap(answersByEvents) : []),
    ...answerLocations(parts, inherited),
  ]);
}

function redactedChannels({ id, definition: { channels = {} } }: GraphPart): readonly string[] {
  return Object.entries(channels).flatMap(([name, { redact }]) => (redact === true ? [channelLocation(id, name)] : []));
}

function answersByEvents(part: GraphPart): readonly string[] {
  return nodesWithEvents(part).map((node) => nodeLocation(part.id, node, 'answer'));
}

/** The parts of a node that hold the redacted data of the same node in another run. */
const REDACTED_PARTS: Partial<Readonly<Record<keyof NodeRedaction, readonly string[]>>> = {
  calls: ['answer'],
  result: ['answer'],
  values: ['answer', 'values'],
  undone: ['undone'],
  error: ['error'],
};

/** Returns the answers of the nodes that have the same names inside nodes with the same names as in another run. */
function answerLocations(parts: PartsByGraph, { nodes = {}, graphs = {} }: InheritedRedaction): readonly string[] {
  const locations: string[] = [];
  const seen = new Map<GraphPart, Set<GraphRedaction>>();
  const visit = (part: GraphPart, graph: GraphRedaction): void => {
    const seenThere = seen.get(part) ?? new Set();
    if (seenThere.has(graph)) return;
    seen.set(part, seenThere.add(graph));
    for (const [node, hidden] of Object.entries(graph.nodes)) {
      locations.push(...redactedFields(hidden).map((name) => nodeLocation(part.id, node, name)));
      const inside = part.nodes.get(node)?.inside;
      const innerPart = inside && parts.get(inside.id);
      const inner = typeof hidden.inside === 'string' ? own(graphs, hidden.inside) : hidden.inside;
      if (innerPart && inner) visit(innerPart, inner);
    }
  };
  const root = parts.get(ROOT_GRAPH);
  if (root) visit(root, { channels: [], nodes });
  return locations;
}

function redactedFields(hidden: NodeRedaction): readonly string[] {
  return Object.entries(REDACTED_PARTS).flatMap(([flag, names]) => (Object.hasOwn(hidden, flag) ? names : []));
}
