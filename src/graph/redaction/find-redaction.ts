import { START } from '../definition/definition.ts';
import { expressionsIn, maskOf } from './filled.ts';
import type { Filled } from './filled.ts';
import { Flows } from './flows.ts';
import { addGraphFlows } from './graph-flows.ts';
import { readGraphParts, ROOT } from './graph-parts.ts';
import type { GraphPart, PinnedDefinition } from './graph-parts.ts';
import type { Mask } from './mask.ts';
import { readerOf } from './node-flows.ts';
import type { PlacedNode } from './node-flows.ts';
import type { NodeTexts } from './node-texts.ts';
import { channelPlace, nodePlace, placesOf, startErrorPlace } from './places.ts';
import { NOTHING_REDACTED } from './redaction.ts';
import type { GraphRedaction, NodeRedaction, Redaction } from './redaction.ts';

/**
 * Finds what a run of a definition hides: its redacted channels and, followed through the whole definition, all that
 * their content may come to.
 * @param inherited channels of the run's own graph that hold hidden values of another run
 */
export function findRedaction(pinned: PinnedDefinition, inherited: readonly string[] = []): Redaction {
  const parts = readGraphParts(pinned);
  const redacted = redactedPlaces(parts, inherited);
  if (redacted.size === 0) return NOTHING_REDACTED;
  const flows = new Flows();
  for (const part of parts.values()) addGraphFlows(flows, part);
  const found: Found = { parts, redacted, derived: flows.reach(redacted), known: new Map() };
  const published = [...parts].flatMap(([id, part]) => {
    const redaction = id.startsWith('@') && !id.includes('/') ? redactionOf(part, found) : null;
    return redaction ? [[id.slice(1), redaction] as const] : [];
  });
  const root = parts.get(ROOT);
  return { ...((root && redactionOf(root, found)) ?? NOTHING_REDACTED), graphs: Object.fromEntries(published) };
}

interface Found {
  readonly parts: ReadonlyMap<string, GraphPart>;
  /** The channels that are redacted by their definitions, or inherited. */
  readonly redacted: ReadonlySet<string>;
  /** These, and all places that their content may come to. */
  readonly derived: ReadonlySet<string>;
  /** What is found already, by graph: many nodes may run one. */
  readonly known: Map<string, GraphRedaction | null>;
}

function redactedPlaces(parts: ReadonlyMap<string, GraphPart>, inherited: readonly string[]): ReadonlySet<string> {
  const places = new Set<string>();
  for (const { id, definition } of parts.values()) {
    for (const [name, { redact }] of Object.entries(definition.channels ?? {}))
      if (redact === true || (id === ROOT && inherited.includes(name))) places.add(channelPlace(id, name));
  }
  return places;
}

/** @returns `null` if nothing of the graph is hidden */
function redactionOf(part: GraphPart, found: Found): GraphRedaction | null {
  const known = found.known.get(part.id);
  if (known !== undefined) return known;
  const redaction = makeRedaction(part, found);
  found.known.set(part.id, redaction);
  return redaction;
}

function makeRedaction({ id, definition, nodes }: GraphPart, found: Found): GraphRedaction | null {
  const { derived } = found;
  const channels = Object.keys(definition.channels ?? {}).filter((name) => derived.has(channelPlace(id, name)));
  const ofNodes = [...nodes].flatMap(([node, part]) => {
    const redaction = redactionOfNode({ graph: id, id: node, ...part }, found);
    return Object.keys(redaction).length === 0 ? [] : [[node, redaction] as const];
  });
  const start = derived.has(startErrorPlace(id)) ? [[START, { error: true }] as const] : [];
  if (channels.length + ofNodes.length + start.length === 0) return null;
  return { channels, nodes: Object.fromEntries([...start, ...ofNodes]) };
}

function redactionOfNode(node: PlacedNode, found: Found): NodeRedaction {
  const { graph, id, texts } = node;
  const filling = membersThatFill(node, found);
  const isDerived = (part: string): boolean => found.derived.has(nodePlace(graph, id, part));
  const isHidden = (source: string): boolean =>
    placesOf([source], readerOf(node)).some((place) => found.derived.has(place)) ||
    (filling.size > 0 && isOfResult(source));
  const fields = shownFields(texts, isHidden);
  const inside = insideOf(node, found);
  const later = [...texts.laterFields.values()].flatMap(expressionsIn);
  const flags = {
    calls: asksForCalls(node) && isDerived('calls'),
    result: isDerived('result') || filling.size > 0,
    values: filling.has('result') || filling.has('result.values'),
    undone: later.some(({ sources }) => [...sources().read].some(isHidden)),
    error: isDerived('error'),
  };
  return {
    ...(Object.keys(fields).length > 0 && { fields }),
    ...Object.fromEntries(Object.entries(flags).flatMap(([flag, isSet]) => (isSet ? [[flag, true as const]] : []))),
    ...(inside !== null && { inside }),
  };
}

type IsHidden = (source: string) => boolean;

/** The masks of what people see of a node. Fields that are members of the arguments share a mask. */
function shownFields({ fields, laterFields, description }: NodeTexts, isHidden: IsHidden): Masks {
  const { members = [], ...whole } = description.shown ?? {};
  const filled = [...fields, ...laterFields];
  const masksAt = (shown: readonly string[]): Masks =>
    masksOf(
      filled.filter(([field]) => shown.includes(field)),
      isHidden,
    );
  const parts = masksAt(members);
  return {
    ...masksAt(Object.values(whole).flat()),
    ...(Object.keys(parts).length > 0 && { args: { in: 'object', parts } }),
  };
}

type Masks = Readonly<Record<string, Mask>>;

function masksOf(texts: readonly (readonly [string, Filled | null])[], isHidden: IsHidden): Masks {
  const masks = texts.flatMap(([field, filled]) => {
    const mask = maskOf(filled, ({ sources }) => [...sources().content].some(isHidden));
    return mask === null ? [] : [[field, mask] as const];
  });
  return Object.fromEntries(masks);
}

/** The result, or members of it, that a node writes to redacted channels: the answer of its call holds their values. */
function membersThatFill({ graph, texts }: PlacedNode, { redacted }: Found): ReadonlySet<string> {
  const isRedacted = (channel: string): boolean => redacted.has(channelPlace(graph, channel));
  const written = [...texts.writes]
    .filter(([channel]) => isRedacted(channel))
    .flatMap(([, text]) => expressionsIn(text));
  const sources = written.flatMap((expression) => [...expression.sources().content]);
  const whole = texts.resultTo !== null && isRedacted(texts.resultTo) ? ['result'] : [];
  return new Set([...whole, ...sources.filter(isOfResult)]);
}

function isOfResult(source: string): boolean {
  return source === 'result' || source.startsWith('result.');
}

/** True if a model asks for the calls that a node makes. */
function asksForCalls({ texts: { description, conversations } }: PlacedNode): boolean {
  const { approvals, makesCalls } = description;
  return approvals !== undefined || (makesCalls !== undefined && conversations.has(makesCalls.channel));
}

function insideOf({ inside }: PlacedNode, found: Found): string | GraphRedaction | null {
  if (!inside) return null;
  const part = found.parts.get(inside.id);
  const redaction = part ? redactionOf(part, found) : null;
  return redaction && (inside.reference ?? redaction);
}
