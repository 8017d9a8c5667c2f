import { isJsonObject } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';

/**
 * Long-term memory as a tool (docs/memory.md): the model reads one namespace, and writes it if
 * `access` allows it.
 */
export interface MemoryTool {
  /** A template for the namespace. The model can't leave it. */
  readonly memory: string;
  /** "read" offers `memory_search`; "write" offers `memory_save` as well. Absent: "read". */
  readonly access?: MemoryAccess;
}

/**
 * A published graph as a tool (docs/agents.md): the model supplies its input and receives its
 * output.
 */
export interface GraphTool {
  /** `"name"` or `"name@3"`. */
  readonly graph: string;
  /** The name of the tool, which every provider accepts; absent: the name of the graph. */
  readonly as?: string;
  /** The description that the model receives; absent: the `description` of the graph. */
  readonly description?: string;
  /** Values of input channels that the model neither sees nor chooses. */
  readonly args?: FixedArguments;
}

export const MEMORY_ACCESS = ['read', 'write'] as const;
export type MemoryAccess = (typeof MEMORY_ACCESS)[number];

/** A configured tool of which a node fixes arguments, or which it offers under another name. */
export interface ConfiguredTool {
  /** The name of the configured tool. */
  readonly tool: string;
  /** Arguments that the model neither sees nor chooses. */
  readonly args?: FixedArguments;
  /** The name of the tool for the model, which every provider accepts; absent: its own name. */
  readonly as?: string;
  /** The description that the model receives; absent: the tool's own. */
  readonly description?: string;
}

/** Arguments of a tool by name, at any depth templates over the state, which are filled before each call. */
export type FixedArguments = Readonly<Record<string, Json>>;

/** A tool that a model is offered: a configured one, memory, or a graph. */
export type OfferedTool = string | ConfiguredTool | MemoryTool | GraphTool;

export const MEMORY_SEARCH = 'memory_search';
export const MEMORY_SAVE = 'memory_save';

/** The longest namespace or key, in characters. */
export const MAX_MEMORY_NAME = 255;

/** Returns the names of tools as the model sees them. */
export function offeredNames(tools: readonly OfferedTool[]): readonly string[] {
  return tools.flatMap(namesOfTool);
}

/** Returns the names of the tools that one entry offers. */
export function namesOfTool(tool: OfferedTool): readonly string[] {
  if (typeof tool === 'string') return [tool];
  if (isConfiguredTool(tool)) return [tool.as ?? tool.tool];
  return isGraphTool(tool) ? [graphToolName(tool)] : memoryToolNames(tool);
}

/** Returns the names of the tools that an entry of memory offers. */
function memoryToolNames({ access = 'read' }: MemoryTool): readonly string[] {
  return access === 'write' ? [MEMORY_SEARCH, MEMORY_SAVE] : [MEMORY_SEARCH];
}

/** Returns the name of a graph as a tool. */
export function graphToolName({ graph, as = graph.split('@', 1).join() }: GraphTool): string {
  return as;
}

export function isGraphTool(tool: OfferedTool): tool is GraphTool {
  return typeof tool === 'object' && 'graph' in tool;
}

export function isConfiguredTool(tool: OfferedTool): tool is ConfiguredTool {
  return typeof tool === 'object' && 'tool' in tool;
}

/** Returns the arguments that an entry fixes; `null` if it fixes none. */
export function fixedArgumentsOf(tool: OfferedTool): FixedArguments | null {
  return typeof tool === 'object' && 'args' in tool ? (tool.args ?? null) : null;
}

/** True for an item of a list of tools; validation checks the shape of objects. */
export function isOfferedTool(value: Json): value is OfferedTool & (string | JsonObject) {
  if (!isJsonObject(value)) return typeof value === 'string';
  const { memory, graph, tool, as, args } = value;
  if (typeof memory === 'string') return true;
  const hasName = as === undefined || typeof as === 'string';
  return (
    (typeof graph === 'string' || typeof tool === 'string') && hasName && (args === undefined || isJsonObject(args))
  );
}
