import { isJsonObject } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** Long-term memory as a tool (specification, "Also in version 1"): the model reads, and perhaps writes, one namespace. */
export interface MemoryTool {
  /** A template for the namespace. The model can't leave it. */
  readonly memory: string;
  /** "read" offers `memory_search`; "write" offers `memory_save` as well. Absent: "read". */
  readonly access?: MemoryAccess;
}

export const MEMORY_ACCESS = ['read', 'write'] as const;
export type MemoryAccess = (typeof MEMORY_ACCESS)[number];

/** A tool that a model is offered: the name of a configured one, or memory. */
export type OfferedTool = string | MemoryTool;

export const MEMORY_SEARCH = 'memory_search';
export const MEMORY_SAVE = 'memory_save';

/** The longest namespace or key, in characters. */
export const MAX_MEMORY_NAME = 255;

/** Returns the names of tools as the model sees them. */
export function offeredNames(tools: readonly OfferedTool[]): readonly string[] {
  return tools.flatMap((tool) => (typeof tool === 'string' ? tool : memoryToolNames(tool)));
}

/** Returns the names of the tools that an entry of memory offers. */
export function memoryToolNames({ access = 'read' }: MemoryTool): readonly string[] {
  return access === 'write' ? [MEMORY_SEARCH, MEMORY_SAVE] : [MEMORY_SEARCH];
}

/** True for an item of a list of tools; validation checks the shape of memory. */
export function isOfferedTool(value: Json): value is OfferedTool & (string | JsonObject) {
  return typeof value === 'string' || (isJsonObject(value) && typeof value['memory'] === 'string');
}
