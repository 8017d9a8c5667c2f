import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { abbreviate, isDeeperThan, isJsonObject, toJson } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';

/** A tool as its server describes it; the text is not trusted. */
export type ListedTool = Tool;

/** The tools of a server. What is wrong with its list costs the tools concerned, and is a warning. */
export interface ToolListing {
  readonly tools: ReadonlyMap<string, ListedTool>;
  readonly warnings: readonly string[];
}

/** A page whose parts are checked one by one, so that a faulty tool does not hide the others. */
const ToolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.unknown().optional() });

/** Limits for servers that list without end. */
const MAX_TOOLS = 1_000;
const MAX_TOOL_PAGES = 100;
/** In characters of JSON, of all tools of a server. */
const MAX_LIST_SIZE = 4_000_000;
const MAX_LISTING_LEVELS = 100;

/**
 * Lists a server's tools, page by page. The SDK's `listTools` would compile their schemas to code, which is unsafe for
 * schemas that are not trusted.
 * @param timeoutMs limit for all pages together
 * @throws if the first page is no list of tools, or a page is not answered
 */
export async function listTools(client: Client, timeoutMs: number): Promise<ToolListing> {
  const list = new ToolCollection();
  if (!client.getServerCapabilities()?.tools) return list;
  const endsAt = Date.now() + timeoutMs;
  const cursors = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const params: { cursor?: string } = cursor === null ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, z.unknown(), {
      timeout: Math.max(1, endsAt - Date.now()),
    });
    const page = ToolPage.safeParse(answer);
    if (!page.success && cursors.size === 0) throw new Error('its answer to tools/list is no list of tools');
    const problem = page.success ? list.add(page.data.tools) : 'a page of its list of tools is none';
    const next = problem ?? nextCursor(page.data?.nextCursor, cursors);
    if (next === null) return list;
    if (typeof next === 'string') return list.end(next);
    cursor = next.cursor;
    cursors.add(cursor);
  }
}

/** Returns the cursor of the next page; `null` after the last page; a warning if the list ends here for another reason. */
function nextCursor(stated: unknown, before: ReadonlySet<string>): { readonly cursor: string } | string | null {
  if (stated === undefined) return null;
  if (typeof stated !== 'string' || stated === '')
    return `its list of tools ends with a "nextCursor" that is no cursor`;
  if (before.has(stated)) return 'its list of tools refers to the same page again, so it ends there';
  if (before.size + 1 >= MAX_TOOL_PAGES)
    return `its list of tools has more than ${MAX_TOOL_PAGES} pages; the others are left out`;
  return { cursor: stated };
}

/** Collects the usable tools of the pages of a list, within its limits. */
class ToolCollection implements ToolListing {
  readonly tools = new Map<string, ListedTool>();
  readonly warnings: string[] = [];
  #items = 0;
  #size = 0;

  /** Adds a page. @returns the reason why the list must end here, or `null` */
  add(page: readonly unknown[]): string | null {
    for (const item of page) {
      this.#items += 1;
      if (this.#items > MAX_TOOLS) return `it lists more than ${MAX_TOOLS} tools; the others are left out`;
      const isDeep = isDeeperThan(MAX_LISTING_LEVELS, item);
      this.#size += isDeep ? MAX_LIST_SIZE / MAX_TOOLS : (JSON.stringify(item)?.length ?? 0);
      if (this.#size > MAX_LIST_SIZE)
        return `its list of tools has more than ${MAX_LIST_SIZE} characters; the rest is left out`;
      if (isDeep)
        this.warnings.push(`${listedName(item)} has more than ${MAX_LISTING_LEVELS} levels of JSON, so it is left out`);
      else this.#addTool(item);
    }
    return null;
  }

  end(warning: string): this {
    this.warnings.push(warning);
    return this;
  }

  #addTool(item: unknown): void {
    const parsed = ToolSchema.safeParse(mendListing(item));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const place = issue?.path.join('.') ?? '';
      this.warnings.push(`${listedName(item)} is left out, because its "${place}" is not what the protocol allows`);
    } else if (this.tools.has(parsed.data.name)) {
      this.warnings.push(`it lists the tool "${parsed.data.name}" twice; the first one counts`);
    } else this.tools.set(parsed.data.name, parsed.data);
  }
}

/** Completes what servers leave out: members that are `null` count as absent, and a tool without a schema takes `{}`. */
function mendListing(item: unknown): Json {
  const json = toJson(item ?? null);
  if (!isJsonObject(json)) return json;
  const present = Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
  return { ...present, inputSchema: withObjectType(present['inputSchema'] ?? {}) };
}

/** Adds the `type` that the protocol requires at the top of a schema. */
function withObjectType(schema: Json): Json {
  return isJsonObject(schema) && schema['type'] === undefined ? { ...schema, type: 'object' } : schema;
}

function listedName(item: unknown): string {
  const name: unknown = typeof item === 'object' && item !== null && 'name' in item ? item.name : null;
  return typeof name === 'string' ? `the tool "${abbreviate(name, MAX_TOOL_NAME)}"` : 'a tool without a name';
}

const MAX_TOOL_NAME = 128;
