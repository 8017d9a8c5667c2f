import { APPROVAL_WORDS } from '../definition/catalog.ts';
import type { Catalog } from '../definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../definition/definition.ts';
import { toolGraph } from '../definition/graph-tools.ts';
import { innerGraph } from '../definition/node-types/describe-node.ts';
import { describeNode, nodeFields, fieldAt, fieldsOfKind } from '../definition/node-types/describe-node.ts';
import { own, isJsonList, isJsonObject, membersIn } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { parseExpression } from '../expression/expression.ts';
import { ERROR_NAMES, NODE_NAMES, RESULT_NAMES, RULE_NAMES } from '../expression/names.ts';
import type { Expression } from '../expression/expression.ts';
import type { ExpressionName } from '../expression/names.ts';
import { isTemplate, splitIntoPieces } from '../expression/template.ts';
import type { TextPiece } from '../expression/template.ts';
import { REDACTED } from './redaction.ts';
import type { FieldMask } from './redaction.ts';
import type { NodeDescription } from '../definition/node-types/node-description.ts';

/** A graph of a run: its own, an inline one, or a published one, which is the same part wherever it runs. */
export interface GraphPart {
  /** The graph's prefix in the names of locations. */
  readonly id: string;
  readonly definition: GraphDefinition;
  readonly nodes: ReadonlyMap<string, NodePart>;
}

export interface NodePart {
  readonly texts: NodeTexts;
  readonly inside: InnerGraph | null;
}

/** The graph inside a node. */
export interface InnerGraph {
  readonly id: string;
  /** `null` if the graph is inline. */
  readonly reference: string | null;
  readonly definition: GraphDefinition;
}

/** A definition with the published graphs that it may name. */
export interface PinnedDefinition {
  readonly definition: GraphDefinition;
  readonly catalog: Pick<Catalog, 'graphs'>;
}

/** The id of a run's own graph. */
export const ROOT_GRAPH = '';

/** Reads a definition and all graphs inside, by their ids. */
export function readGraphParts({ definition, catalog: { graphs = {} } }: PinnedDefinition): Map<string, GraphPart> {
  const parts = new Map<string, GraphPart>();
  const toRead: Omit<InnerGraph, 'reference'>[] = [{ id: ROOT_GRAPH, definition }];
  for (const { id, definition: graph } of toRead) {
    if (parts.has(id)) continue;
    const nodes = new Map(
      Object.entries(graph.nodes).map(([name, node]) => {
        const inner = innerGraph(node) ?? toolGraph(node, graph.nodes, graphs);
        return [name, { texts: readNodeTexts(node), inside: readInnerGraph(inner, `${id}/${name}`, graphs) }];
      }),
    );
    parts.set(id, { id, definition: graph, nodes });
    toRead.push(...[...nodes.values()].flatMap(({ inside }) => inside ?? []));
  }
  return parts;
}

function readInnerGraph(
  graph: string | GraphDefinition | null,
  inlineId: string,
  published: Readonly<Record<string, GraphDefinition>>,
): InnerGraph | null {
  if (graph === null) return null;
  if (typeof graph !== 'string') return { id: inlineId, reference: null, definition: graph };
  const definition = own(published, graph);
  return definition ? { id: `@${graph}`, reference: graph, definition } : null;
}

/** Returns the channels whose values are the output of a graph. */
export function outputChannels({ output, channels = {} }: GraphDefinition): readonly string[] {
  return output ?? Object.keys(channels);
}

/** Returns the nodes of a graph that wait for events. */
export function nodesWithEvents({ definition: { nodes } }: GraphPart): readonly string[] {
  return Object.entries(nodes).flatMap(([name, node]) => {
    const { visible } = describeNode(nodeFields(node));
    return visible?.event?.some((field) => Object.hasOwn(node, field)) ? [name] : [];
  });
}

/** A template, parsed so that each of its texts can be analyzed separately. */
export type ParsedTemplate =
  | { readonly kind: 'text'; readonly pieces: readonly TextPiece[] }
  | { readonly kind: 'object' | 'list'; readonly parts: Readonly<Record<string, ParsedTemplate>> };

/** Parses a valid template. @returns `null` if it contains no expression */
function parseFilled(value: Json, names: readonly ExpressionName[]): ParsedTemplate | null {
  if (isTemplate(value)) return { kind: 'text', pieces: splitIntoPieces(value, names) };
  if (!isJsonList(value) && !isJsonObject(value)) return null;
  const parts = Object.entries(value).flatMap(([key, part]: [string, Json]) => {
    const filled = parseFilled(part, names);
    return filled ? [[key, filled] as const] : [];
  });
  return parts.length === 0 ? null : { kind: isJsonList(value) ? 'list' : 'object', parts: Object.fromEntries(parts) };
}

/** Returns all expressions in a template. */
export function expressionsOfTemplate(filled: ParsedTemplate | null): readonly Expression[] {
  if (!filled) return [];
  if (filled.kind === 'text') return filled.pieces.filter((piece) => typeof piece !== 'string');
  return Object.values(filled.parts).flatMap(expressionsOfTemplate);
}

/** Makes the mask of a template that is filled with redacted values. @returns `null` if nothing in it is redacted */
export function maskOfTemplate(
  filled: ParsedTemplate | null,
  isHidden: (expression: Expression) => boolean,
): FieldMask | null {
  if (!filled) return null;
  if (filled.kind === 'text') return maskOfText(filled.pieces, isHidden);
  const parts = Object.entries(filled.parts).flatMap(([key, part]) => {
    const mask = maskOfTemplate(part, isHidden);
    return mask === null ? [] : [[key, mask] as const];
  });
  return parts.length === 0 ? null : { in: filled.kind, parts: Object.fromEntries(parts) };
}

/**
 * Returns the mask of a text. Its literal words stay visible, because the author of the definition has written them.
 */
function maskOfText(pieces: readonly TextPiece[], isHidden: (expression: Expression) => boolean): string | null {
  const expressions = pieces.filter((piece) => typeof piece !== 'string');
  const hidden = expressions.filter(isHidden);
  if (hidden.length === 0) return null;
  if (hidden.length < expressions.length) return REDACTED;
  return pieces.map((piece) => (typeof piece === 'string' ? piece : REDACTED)).join('');
}

/** The parts of a node that may contain expressions, and the channels that it names. */
export interface NodeTexts {
  readonly description: NodeDescription;
  /** Fields that are filled before the node's work, by name. */
  readonly fields: ParsedTemplates;
  /** Fields that are filled after the node's work, which may use its result. */
  readonly laterFields: ParsedTemplates;
  /** The channel that takes the whole result. */
  readonly resultTo: string | null;
  /** The templates of the node's writes, by channel. */
  readonly writes: ParsedTemplates;
  /** The templates of the node's writes after a failure, by channel. */
  readonly errorWrites: ParsedTemplates;
  /** Conditions over the arguments of its calls. */
  readonly rules: readonly Expression[];
  /** Channels whose messages the node reads and continues, by the fields that name them. */
  readonly conversations: ReadonlyMap<string, string>;
}

/** Templates by name; `null` for one without expressions. */
export type ParsedTemplates = ReadonlyMap<string, ParsedTemplate | null>;

/** Parses the texts of a valid node. */
function readNodeTexts(node: NodeDefinition): NodeTexts {
  const fields = nodeFields(node);
  const description = describeNode(fields);
  const { templates, resultTemplates = [] } = description;
  const { write, onError } = fields;
  return {
    description,
    fields: readTemplates(pickTemplates(fields, templates), NODE_NAMES),
    laterFields: readTemplates(pickTemplates(fields, resultTemplates), RESULT_NAMES),
    resultTo: typeof write === 'string' ? write : null,
    writes: readTemplates(write, RESULT_NAMES),
    errorWrites: readTemplates(isJsonObject(onError) ? onError['write'] : undefined, ERROR_NAMES),
    rules: readApprovalRules(fields, description),
    conversations: readConversations(fields),
  };
}

/** Returns the channels that a node writes by its definition. */
export function channelsWrittenBy({ resultTo, writes, errorWrites, conversations }: NodeTexts): readonly string[] {
  return [...(resultTo === null ? [] : [resultTo]), ...writes.keys(), ...errorWrites.keys(), ...conversations.values()];
}

function pickTemplates(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, fieldAt(fields, name) ?? null]));
}

/** Parses templates by name. Values of another type than an object have none. */
export function readTemplates(values: Json | undefined, names: readonly ExpressionName[]): ParsedTemplates {
  return new Map(membersIn(values).map(([name, value]) => [name, parseFilled(value, names)]));
}

function readConversations(fields: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    fieldsOfKind('conversations').flatMap((field) => {
      const channel = fields[field];
      return typeof channel === 'string' ? [[field, channel] as const] : [];
    }),
  );
}

function readApprovalRules(fields: JsonObject, { approvals }: NodeDescription): readonly Expression[] {
  return membersIn(approvals && fields[approvals.rules]).flatMap(([, rule]) =>
    typeof rule === 'string' && !APPROVAL_WORDS.includes(rule) ? [parseExpression(rule, RULE_NAMES)] : [],
  );
}
