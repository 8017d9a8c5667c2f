import { mapValues } from '../values/collections.ts';
import { toPointer } from '../values/json-pointer.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import { isJsonList, isJsonObject, own } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { ToolEntry } from './catalog.ts';
import { END, START } from './definition.ts';
import type { ChannelDefinition, GraphDefinition, NodeDefinition } from './definition.ts';
import { describeNode, nodeFields, channelsOfNode } from './node-types/describe-node.ts';
import type { FieldsAtPath } from './node-types/describe-node.ts';
import { graphToolName, isGraphTool, isOfferedTool } from './node-types/offered-tool.ts';
import type { GraphTool, OfferedTool } from './node-types/offered-tool.ts';

/*
 * Graphs as tools. Each one is a `subgraph` node in a graph inside the calling node, which has no edges. A call runs this
 * node, so the rules of subgraphs (limits, approvals, redaction) apply to these calls as well.
 */

/** A published graph among the tools of a node. */
export interface NamedGraph {
  readonly reference: string;
  /** The index in the node's tools. */
  readonly index: number;
}

/** Returns the published graphs among the tools of a node, which may be invalid. */
export function graphToolsAt(fields: JsonObject): readonly NamedGraph[] {
  const { tools } = fields;
  if (!isJsonList(tools) || !describeNode(fields).uses?.tools?.includes('tools')) return [];
  return tools.flatMap((tool, index) =>
    isOfferedTool(tool) && isGraphTool(tool) ? [{ reference: tool.graph, index }] : [],
  );
}

/** Returns the graphs that a node offers to a model, or calls for one. @param nodes of the node's graph */
export function graphToolsOf(node: NodeDefinition, nodes: GraphDefinition['nodes']): readonly GraphTool[] {
  return toolsOf(node, nodes).filter(isGraphTool);
}

/**
 * Returns the graph inside a node that calls graphs as tools; `null` for all other nodes.
 * @param nodes of the node's graph
 * @param published the graphs that it may name; a graph that is missing here gets no input
 */
export function toolGraph(
  node: NodeDefinition,
  nodes: GraphDefinition['nodes'],
  published: Readonly<Record<string, GraphDefinition>> = {},
): GraphDefinition | null {
  const isCalledElsewhere = describeNode(nodeFields(node)).requestsTools !== undefined;
  const tools = isCalledElsewhere ? [] : graphToolsOf(node, nodes);
  if (tools.length === 0) return null;
  const { deadline } = node;
  const toNode = (graph: string): NodeDefinition => ({
    type: 'subgraph',
    graph,
    input: Object.fromEntries(inputChannelNames(own(published, graph)).map((channel) => [channel, '{{ item }}'])),
    ...(deadline !== undefined && { deadline }),
  });
  return {
    name: 'tools',
    nodes: Object.fromEntries(tools.map((tool) => [graphToolName(tool), toNode(tool.graph)])),
    edges: [{ from: START, to: END }],
  };
}

/**
 * Returns the tools that a node offers to a model, or calls for one. A node with `calls` may use the tools of the `llm`
 * node.
 */
export function toolsOf(node: NodeDefinition, nodes: GraphDefinition['nodes']): readonly OfferedTool[] {
  const fields = nodeFields(node);
  const { approvals, requestsTools, makesCalls } = describeNode(fields);
  const tools = fields[approvals?.tools ?? requestsTools ?? makesCalls?.tools ?? ''];
  if (isJsonList(tools)) return tools.filter(isOfferedTool);
  const channel = makesCalls && fields[makesCalls.channel];
  return typeof channel === 'string' ? (toolsOfCalls(channel, withEmptyPaths(nodes)) ?? []) : [];
}

function withEmptyPaths(nodes: GraphDefinition['nodes']): readonly FieldsAtPath[] {
  return Object.values(nodes).map((node) => ({ fields: nodeFields(node), path: '' }));
}

/**
 * Returns a graph as a tool, as models and people see it. The tool has no effect of its own; the calls inside have.
 * @param tool the entry in the node's tools
 */
export function toToolEntry(definition: GraphDefinition, tool: Pick<GraphTool, 'description'> = {}): ToolEntry {
  const { name, description = `Runs the graph ${name}` } = definition;
  return { description: tool.description ?? description, parameters: toolParameters(definition), effect: 'idempotent' };
}

/** The input channels of a graph as the parameters of a tool. */
function toolParameters(definition: GraphDefinition): JsonSchema {
  const { channels = {} } = definition;
  const taken = inputChannelNames(definition).flatMap((name) => {
    const channel = own(channels, name);
    return channel ? [[name, channel] as const] : [];
  });
  const required = definition.required ?? (definition.input ? taken.filter(needsInput).map(([name]) => name) : []);
  return {
    type: 'object',
    properties: Object.fromEntries(taken.map(([name, channel]) => [name, channelInputSchema(name, channel)])),
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  };
}

function inputChannelNames({ input, channels = {} }: Partial<GraphDefinition> = {}): readonly string[] {
  return input ?? Object.keys(channels);
}

/** True for a channel that has no usable value at the start unless the input sets it. */
function needsInput([, { reducer = 'replace', default: initial }]: readonly [string, ChannelDefinition]): boolean {
  return reducer === 'replace' && initial === undefined;
}

/**
 * Returns the schema of a channel's input. With an expression as reducer, a channel may accept other values than it
 * holds.
 */
function channelInputSchema(
  name: string,
  { reducer, schema, description, roles = ['user'] }: ChannelDefinition,
): JsonObject {
  const described = description === undefined ? {} : { description };
  if (typeof reducer === 'object') return described;
  if (isJsonObject(schema)) return { ...described, ...withReferencesAt(schema, `#${toPointer(['properties', name])}`) };
  return reducer === 'messages' ? { ...described, ...messagesSchema(roles) } : described;
}

function messagesSchema(roles: readonly string[]): JsonObject {
  const properties = { role: { enum: [...roles] }, content: { type: 'string' } };
  return { type: 'array', items: { type: 'object', properties, required: ['role', 'content'] } };
}

/** Moves a schema into another one and adjusts its references to the new location. */
function withReferencesAt(schema: JsonObject, root: string): JsonObject {
  const moved = (value: Json): Json => {
    if (isJsonList(value)) return value.map(moved);
    return isJsonObject(value) ? withReferencesAt(value, root) : value;
  };
  const { $ref } = schema;
  const isLocal = typeof $ref === 'string' && $ref.startsWith('#');
  return { ...mapValues(schema, moved), ...(isLocal && { $ref: root + $ref.slice(1) }) };
}

/**
 * Returns the tools of a `tool` node with `calls` that names none: those of the one `llm` node that writes the channel.
 * Nodes with `calls`, which add answers to it, don't count.
 * @param all the nodes of the graph
 * @returns `null` if other nodes, or none, write the channel
 */
export function toolsOfCalls(channel: string, all: readonly FieldsAtPath[]): readonly OfferedTool[] | null {
  const requester = requesterOfCalls(channel, all);
  if (!requester) return null;
  const tools = requester.fields[requester.tools];
  return isJsonList(tools) ? tools.filter(isOfferedTool) : [];
}

/** Returns the choice among the tools of a `tool` node with `calls`: that of the `llm` node whose tools it takes. */
export function activeToolsOf(
  node: NodeDefinition,
  nodes: GraphDefinition['nodes'],
): { readonly activeTools?: string } {
  const fields = nodeFields(node);
  const { makesCalls } = describeNode(fields);
  const channel = makesCalls && fields[makesCalls.tools] === undefined ? fields[makesCalls.channel] : undefined;
  const requester = typeof channel === 'string' ? requesterOfCalls(channel, withEmptyPaths(nodes)) : null;
  const activeTools = requester?.fields['activeTools'];
  return typeof activeTools === 'string' ? { activeTools } : {};
}

/** A node that requests tools, and the name of its field with them. */
interface ToolRequester {
  readonly fields: JsonObject;
  readonly tools: string;
}

/** Returns the only node that writes the requests for tools into a channel; `null` if other nodes, or none, write it. */
function requesterOfCalls(channel: string, all: readonly FieldsAtPath[]): ToolRequester | null {
  const [writer, ...others] = all.filter((node) =>
    channelsOfNode(node).some(({ name, path }) => name === channel && path !== `${node.path}/calls`),
  );
  if (!writer || others.length > 0) return null;
  const { requestsTools } = describeNode(writer.fields);
  return requestsTools === undefined ? null : { fields: writer.fields, tools: requestsTools };
}
