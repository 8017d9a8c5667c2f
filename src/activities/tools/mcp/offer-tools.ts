import type { CallSafety } from '../../../graph/definition/index.ts';
import {
  didYouMean,
  findSchemaProblems,
  own,
  toJsonObject,
  tryWithAllowance,
  withSuggestions,
} from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import { TOOL_NAME } from '../tool.ts';
import { pinOf } from './list-tools.ts';
import type { ListedTool } from './list-tools.ts';
import type { McpServerSettings, McpToolSettings } from './server-settings.ts';
import { findSizeProblem } from './tool-size.ts';

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

/** In units of the meter: a thousand tools of ordinary schemas, and some seconds at most, in which the process does nothing else. */
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
