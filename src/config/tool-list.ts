import { z } from 'zod';
import { toPointer } from '../graph/values/index.ts';
import { findBadFallbacks } from './bad-fallbacks.ts';
import { passOn } from './fields.ts';
import { toolMethodsOf } from './tool-methods.ts';
import { Tool } from './tools.ts';
import type { ToolConfig } from './tools.ts';

/** A tool, and where the configuration has it from. */
interface Entry {
  readonly path: readonly (string | number)[];
  /** What a decorated method is called in its class. */
  readonly origin: string | null;
  readonly given: unknown;
}

interface Listed extends Omit<Entry, 'given'> {
  readonly tool: ToolConfig;
}

/** All tools: those that stand in the list, and the methods of instances in it that are tools. */
export const Tools = z
  .array(z.unknown())
  .transform((given, context) => given.flatMap(toEntries).flatMap((entry) => readEntry(entry, context)))
  .superRefine(refuseNamesakes)
  .superRefine(refuseUnknownFallbacks)
  .transform((listed) => listed.map(({ tool }) => tool));

function toEntries(given: unknown, at: number): readonly Entry[] {
  if (typeof given !== 'object' || given === null) return [{ path: [at], origin: null, given }];
  const methods = toolMethodsOf(given);
  if (!methods) return [{ path: [at], origin: null, given }];
  return [...methods].map(([name, { origin, definition }]) => ({
    path: [at, String(name)],
    origin,
    given: definition,
  }));
}

function readEntry({ given, ...entry }: Entry, context: z.RefinementCtx): readonly Listed[] {
  if (isBareInstance(given)) {
    context.addIssue({
      code: 'custom',
      path: [...entry.path],
      message: 'is no tool and has no method that is a @tool',
    });
    return [];
  }
  const parsed = Tool.safeParse(given);
  if (parsed.success) return [{ ...entry, tool: parsed.data }];
  passOn(parsed.error, context, entry.path);
  return [];
}

/** An instance of a class that may have been meant to hold tools. */
function isBareInstance(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || 'execute' in given) return false;
  const prototype: unknown = Object.getPrototypeOf(given);
  return prototype !== Object.prototype && prototype !== null;
}

function refuseNamesakes(listed: readonly Listed[], context: z.RefinementCtx): void {
  const first = new Map<string, Listed>();
  for (const entry of listed) {
    const { name } = entry.tool;
    const namesake = first.get(name);
    if (!namesake) {
      first.set(name, entry);
      continue;
    }
    const message = `another tool is named "${name}" already: ${nameOf(namesake)}`;
    context.addIssue({ code: 'custom', path: [...entry.path, 'name'], message });
  }
}

function nameOf({ origin, path }: Listed): string {
  const pointer = `/tools${toPointer(path)}`;
  return origin === null ? pointer : `${origin} at ${pointer}`;
}

function refuseUnknownFallbacks(listed: readonly Listed[], context: z.RefinementCtx): void {
  const tools = listed.map(({ tool }) => tool);
  for (const { at, message } of findBadFallbacks(tools, (name) => !OF_SERVERS.test(name))) {
    context.addIssue({ code: 'custom', path: [...(listed[at]?.path ?? []), 'onFailure'], message });
  }
}

/** Perhaps a tool of an MCP server, whose names are known later (`connect-mcp-servers.ts`). */
const OF_SERVERS = /^[A-Za-z0-9_-]{1,32}\./;
