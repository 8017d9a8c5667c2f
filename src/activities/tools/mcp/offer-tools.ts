import { createHash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type { CallSafety } from '../../../graph/definition/index.ts';
import {
  didYouMean,
  findSchemaProblems,
  own,
  toJsonObject,
  tryWithAllowance,
  withSuggestions,
  canonicalJson,
  toJson,
  isDeeperThan,
} from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import { TOOL_NAME } from '../tool.ts';
import type { McpServerSettings, McpToolSettings } from './server-settings.ts';

/** A server's tool as graphs see it. */
export interface OfferedTool {
  /** Name in graphs. */
  readonly name: string;
  /** Name at the server. */
  readonly ownName: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly effect: CallSafety;
  /** Hash of the tool as it was listed at the start. */
  readonly pin: string;
  readonly settings: McpToolSettings;
}

interface Offer {
  readonly offered: readonly OfferedTool[];
  /** Reasons why tools can't be offered as configured. */
  readonly problems: readonly string[];
}

/** Combines a server's list of tools with its configuration. */
export function offerTools(
  server: string,
  settings: McpServerSettings,
  listed: ReadonlyMap<string, ListedTool>,
): Offer {
  const names = settings.tools ? Object.keys(settings.tools) : [...listed.keys()];
  const missing = names.filter((name) => !listed.has(name));
  const found = names.flatMap((name) => listed.get(name) ?? []);
  const sizeProblems = new Map(found.map((tool) => [tool, findSizeProblem(tool)]));
  const usable = found.filter((tool) => sizeProblems.get(tool) === null);
  const offered = usable.map((tool) => toOfferedTool(server, settings, tool));
  return {
    offered,
    problems: [
      ...withSuggestions(() => missing.map((name) => `it has no tool "${name}".${didYouMean(name, listed.keys())}`)),
      ...[...sizeProblems.values()].filter((problem) => problem !== null),
      ...findAllProblems(offered, listed),
      ...findDuplicateNames(offered),
    ],
  };
}

function toOfferedTool(
  server: string,
  { trusted, tools = {}, timeout }: McpServerSettings,
  tool: ListedTool,
): OfferedTool {
  const { timeout: ownTimeout = timeout, ...settings } = own(tools, tool.name) ?? {};
  return {
    name: `${server}.${settings.as ?? tool.name}`,
    ownName: tool.name,
    description: tool.description ?? '',
    parameters: toJsonObject(tool.inputSchema),
    outputSchema: tool.outputSchema ? toJsonObject(tool.outputSchema) : null,
    effect: settings.effect ?? safetyOf(tool, trusted),
    pin: pinOf(tool),
    settings: { ...settings, timeout: ownTimeout },
  };
}

/**
 * Derives a tool's safety from its server's hints. Hints are not proven, so those of an untrusted server don't count,
 * and the tool is `unsafe` unless the configuration says otherwise.
 */
function safetyOf({ annotations }: ListedTool, trusted: boolean): CallSafety {
  const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  return trusted && isRepeatable ? 'idempotent' : 'unsafe';
}

/** Units of the meter: enough for a thousand tools with ordinary schemas; they take the process some seconds at most. */
const MAX_UNITS = 50_000_000;

/** Finds the problems of all tools of a server, which says how many there are. */
function findAllProblems(offered: readonly OfferedTool[], listed: ReadonlyMap<string, ListedTool>): readonly string[] {
  const found = tryWithAllowance('The list of tools', MAX_UNITS, () =>
    offered.flatMap((tool) => findProblems(tool, listed.get(tool.ownName))),
  );
  return found ?? ['the schemas of its tools are too complex, all together; "tools" offers some of them'];
}

function findProblems(
  { name, ownName, parameters, outputSchema, pin, settings }: OfferedTool,
  listed: ListedTool | undefined,
): readonly string[] {
  const problems: string[] = [];
  if (!TOOL_NAME.test(name))
    problems.push(
      `"${ownName}" can't be called "${name}": names have 1 to 64 letters, digits or _ . : -; "as" gives another`,
    );
  if (settings.pin !== undefined && settings.pin !== pin)
    problems.push(`"${ownName}" is not what was pinned: the pin is ${settings.pin}, the server's tool has ${pin}`);
  if (listed?.execution?.taskSupport === 'required')
    problems.push(`"${ownName}" can be called as a task only, which is not supported; leave it out of "tools"`);
  return [
    ...problems,
    ...findSchemaProblem('input', ownName, parameters),
    ...findSchemaProblem('output', ownName, outputSchema),
  ];
}

function findSchemaProblem(what: string, ownName: string, schema: JsonObject | null): readonly string[] {
  const [first] = schema ? findSchemaProblems(schema) : [];
  return first ? [`the ${what} schema of "${ownName}" can't be used at ${first.path || '/'}: ${first.message}`] : [];
}

function findDuplicateNames(offered: readonly OfferedTool[]): readonly string[] {
  const names = offered.map(({ name }) => name);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [...twice].map((name) => `two of its tools are called "${name}"`);
}

/** A tool as its server describes it; the text is not trusted. */
export type { ListedTool };

/** Limits for servers that list without end. */
const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;

/**
 * Lists a server's tools, page by page. The SDK's `listTools` would compile their schemas to code, which is unsafe for
 * schemas that are not trusted.
 * @param timeoutMs limit for all pages together
 * @throws if the answer is no list of tools, or exceeds the limits
 */
export async function listTools(client: Client, timeoutMs: number): Promise<ReadonlyMap<string, ListedTool>> {
  const tools = new Map<string, ListedTool>();
  if (!client.getServerCapabilities()?.tools) return tools;
  const endsAt = Date.now() + timeoutMs;
  let cursor: string | undefined;
  let size = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
      timeout: Math.max(1, endsAt - Date.now()),
    });
    size = addListSize(size, result.tools);
    addTo(tools, result.tools);
    cursor = result.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Error(`Its list of tools has more than ${MAX_PAGES} pages`);
}

function addTo(tools: Map<string, ListedTool>, page: readonly ListedTool[]): void {
  for (const tool of page) {
    if (tools.has(tool.name)) throw new Error(`It lists the tool "${tool.name}" twice`);
    tools.set(tool.name, tool);
  }
  if (tools.size > MAX_TOOLS) throw new Error(`It lists more than ${MAX_TOOLS} tools`);
}

/** Hashes what models, checks and permissions depend on: a tool's description, schemas and annotations. */
export function pinOf({ description, inputSchema, outputSchema, annotations }: ListedTool): string {
  const text = canonicalJson(toJson({ description, inputSchema, outputSchema, annotations }));
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** In characters of JSON: description, schemas and annotations of one tool. All of it may go to a model. */
const MAX_TOOL_SIZE = 65_536;

/** Checks the size of a tool's description before its schemas are looked at. @returns the problem, or `null` */
function findSizeProblem(tool: ListedTool): string | null {
  const size = JSON.stringify(tool).length;
  return size > MAX_TOOL_SIZE
    ? `the description of "${tool.name}" has ${size} characters; ${MAX_TOOL_SIZE} are allowed`
    : null;
}

/** In characters of JSON, of all tools of a server. */
const MAX_LIST_SIZE = 4_000_000;

const MAX_LEVELS = 100;

/**
 * Adds the characters of a page to those of the pages before.
 * @throws if the list is too large or nested too deeply
 */
function addListSize(before: number, page: readonly ListedTool[]): number {
  if (isDeeperThan(MAX_LEVELS, page)) throw new Error(`Its list of tools has more than ${MAX_LEVELS} levels of JSON`);
  const size = before + JSON.stringify(page).length;
  if (size > MAX_LIST_SIZE) throw new Error(`Its list of tools has more than ${MAX_LIST_SIZE} characters`);
  return size;
}
