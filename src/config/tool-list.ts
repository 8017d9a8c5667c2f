import { z } from 'zod';
import { MEMORY_TOOLS } from '../graph/definition/index.ts';
import { abbreviate, isContainer, toPointer } from '../graph/values/index.ts';
import { addIssues } from './fields.ts';
import { toolMethodsOf } from './tool-methods.ts';
import { Tool } from './tool.ts';
import type { ToolConfig } from './tool.ts';

/** A tool before it is parsed, with its path in the configuration. */
interface ListItem {
  readonly path: readonly (string | number)[];
  /** Class and name of a decorated method. */
  readonly origin: string | null;
  readonly value: unknown;
}

/** A checked tool, with its path in the configuration. */
export interface ParsedTool extends Omit<ListItem, 'value'> {
  readonly tool: ToolConfig;
}

/** The list of tools. Instances in it contribute their decorated methods. */
export const Tools = z
  .array(z.unknown())
  .transform((values, context) => values.flatMap(toListItems).flatMap((item) => parseListItem(item, context)))
  .superRefine(refuseDuplicateNames)
  .superRefine(refuseBuiltInNames)
  .superRefine(refuseUnknownFallbacks)
  .transform((tools) => tools.map(({ tool }) => tool));

function toListItems(value: unknown, at: number): readonly ListItem[] {
  if (typeof value !== 'object' || value === null) return [{ path: [at], origin: null, value }];
  const methods = toolMethodsOf(value);
  if (!methods) return [{ path: [at], origin: null, value }];
  return [...methods].map(([name, { origin, definition }]) => ({
    path: [at, String(name)],
    origin,
    value: definition,
  }));
}

function parseListItem({ value, ...item }: ListItem, context: z.RefinementCtx): readonly ParsedTool[] {
  if (isBareInstance(value)) {
    context.addIssue({
      code: 'custom',
      path: [...item.path],
      message: 'is no tool and has no method that is a @tool',
    });
    return [];
  }
  const parsed = Tool.safeParse(value);
  if (parsed.success) return [{ ...item, tool: parsed.data }];
  addIssues(parsed.error, context, item.path, toolNameIn(value));
  return [];
}

/** Names a tool at the end of an issue, whose path has only its index; an empty text if the tool has no name. */
function toolNameIn(value: unknown): string {
  const name: unknown = isContainer(value) && 'name' in value ? value.name : null;
  return typeof name === 'string' ? ` (tool "${abbreviate(name, MAX_NAME)}")` : '';
}

const MAX_NAME = 64;

/** True for an instance of a class that probably should have held tools. */
function isBareInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'execute' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== Object.prototype && prototype !== null;
}

function refuseDuplicateNames(listed: readonly ParsedTool[], context: z.RefinementCtx): void {
  const first = new Map<string, ParsedTool>();
  for (const entry of listed) {
    const { name } = entry.tool;
    const earlier = first.get(name);
    if (!earlier) {
      first.set(name, entry);
      continue;
    }
    const message = `another tool is named "${name}" already: ${describeTool(earlier)}`;
    context.addIssue({ code: 'custom', path: [...entry.path, 'name'], message });
  }
}

function describeTool({ origin, path }: ParsedTool): string {
  const pointer = `/tools${toPointer(path)}`;
  return origin === null ? pointer : `${origin} at ${pointer}`;
}

/** The names of the built-in memory tools are reserved. */
function refuseBuiltInNames(listed: readonly ParsedTool[], context: z.RefinementCtx): void {
  for (const { tool, path } of listed) {
    if (!Object.hasOwn(MEMORY_TOOLS, tool.name)) continue;
    context.addIssue({ code: 'custom', path: [...path, 'name'], message: `"${tool.name}" is a built-in tool` });
  }
}

function refuseUnknownFallbacks(listed: readonly ParsedTool[], context: z.RefinementCtx): void {
  const tools = listed.map(({ tool }) => tool);
  for (const { index, message } of findBadFallbacks(tools, (name) => !MCP_TOOL_NAME.test(name))) {
    context.addIssue({ code: 'custom', path: [...(listed[index]?.path ?? []), 'onFailure'], message });
  }
}

/** May be a tool of an MCP server, whose names are checked later (`connect-mcp-servers.ts`). */
const MCP_TOOL_NAME = /^[A-Za-z0-9_-]{1,32}\./;

/** Values of `onFailure` that are not names of tools. */
const KEYWORDS: ReadonlySet<string> = new Set(['tell', 'intervene']);

interface BadFallback {
  readonly index: number;
  readonly message: string;
}

/**
 * Finds tools whose `onFailure` names a missing tool or leads back to the tool itself.
 * @param isChecked false for names that may become known later
 */
export function findBadFallbacks(
  tools: readonly Pick<ToolConfig, 'name' | 'onFailure'>[],
  isChecked: (name: string) => boolean = () => true,
): readonly BadFallback[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return tools.flatMap(({ name, onFailure }, index) => {
    if (onFailure === undefined || KEYWORDS.has(onFailure)) return [];
    if (byName.has(onFailure)) return leadsBackTo(name, byName) ? [{ index, message: `leads back to "${name}"` }] : [];
    return isChecked(onFailure) ? [{ index, message: 'must be "tell", "intervene" or the name of a tool' }] : [];
  });
}

function leadsBackTo(name: string, tools: ReadonlyMap<string, Pick<ToolConfig, 'onFailure'>>): boolean {
  const seen = new Set<string>();
  for (let next = tools.get(name)?.onFailure; next !== undefined && !seen.has(next);) {
    if (next === name) return true;
    seen.add(next);
    next = tools.get(next)?.onFailure;
  }
  return false;
}
