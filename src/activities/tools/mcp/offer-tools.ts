import { createHash } from 'node:crypto';
import type { CallSafety } from '../../../graph/definition/index.ts';
import {
  canonicalJson,
  didYouMean,
  findSchemaProblems,
  own,
  toJson,
  toJsonObject,
  tryWithAllowance,
  unitsSpent,
  withSuggestions,
} from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import { TOOL_NAME } from '../tool.ts';
import type { ListedTool, ToolListing } from './list-tools.ts';
import type { McpServerSettings, McpToolSettings } from './server-settings.ts';
import { toUsableSchema } from './usable-schema.ts';

/** A server's tool as graphs see it. */
export interface OfferedMcpTool {
  /** Name in graphs. */
  readonly name: string;
  /** Name at the server. */
  readonly ownName: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly effect: CallSafety;
  /** Hash of the tool as it was listed at the start; `null` if it was not available then. */
  readonly pin: string | null;
  readonly settings: McpToolSettings;
}

interface ServerOffer {
  readonly offered: readonly OfferedMcpTool[];
  /** Reasons why the tools that the configuration names can't be offered as configured. */
  readonly problems: readonly string[];
  /** What is wrong with the list, and the tools that are left out or offered although they can't be called now. */
  readonly warnings: readonly string[];
}

/**
 * Combines a server's list of tools with its configuration. A tool that can't be used is left out; if the configuration
 * names it, that is a problem, unless the server is optional: then the tool is offered, and fails as unavailable.
 */
export function offerTools(server: string, settings: McpServerSettings, listing: ToolListing): ServerOffer {
  const { tools: named, optional = false } = settings;
  const names = named ? Object.keys(named) : [...listing.tools.keys()];
  const offered: OfferedMcpTool[] = [];
  const problems: string[] = [];
  const warnings = [...listing.warnings];
  const spentBefore = unitsSpent();
  for (const name of names) {
    const examined = examineTool(server, settings, {
      name,
      listing,
      units: MAX_LISTING_UNITS - (unitsSpent() - spentBefore),
    });
    const isUsable = examined.problems.length === 0;
    warnings.push(...examined.warnings);
    if (isUsable || (named && !optional)) {
      offered.push(...examined.tools);
      problems.push(...examined.problems);
    } else {
      if (named) offered.push(unavailableTool(server, settings, name));
      const consequence = named ? 'its calls fail' : 'it is left out';
      warnings.push(...examined.problems.map((problem) => `${problem}; ${consequence}`));
    }
  }
  return { offered, problems: [...problems, ...findDuplicateNames(offered)], warnings: warnings.map(toSentence) };
}

/** Offers the tools that the configuration of an absent server names. Their calls connect it, or fail as unavailable. */
export function offerUnavailable(server: string, settings: McpServerSettings): readonly OfferedMcpTool[] {
  return Object.keys(settings.tools ?? {}).map((name) => unavailableTool(server, settings, name));
}

function unavailableTool(server: string, settings: McpServerSettings, name: string): OfferedMcpTool {
  const listed: ListedTool = { name, inputSchema: { type: 'object' } };
  return { ...toOfferedTool(server, settings, listed), pin: null };
}

interface ToolCandidate {
  /** The name at the server. */
  readonly name: string;
  readonly listing: ToolListing;
  /** The units of the meter that the check of this tool may take. */
  readonly units: number;
}

interface ExaminedTool {
  /** The tool; empty if it can't even be described. */
  readonly tools: readonly OfferedMcpTool[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

function examineTool(
  server: string,
  settings: McpServerSettings,
  { name, listing, units }: ToolCandidate,
): ExaminedTool {
  const listed = listing.tools.get(name);
  const refused = (problem: string): ExaminedTool => ({ tools: [], problems: [problem], warnings: [] });
  if (!listed)
    return refused(withSuggestions(() => `it has no tool "${name}".${didYouMean(name, listing.tools.keys())}`));
  const size = JSON.stringify(listed).length;
  if (size > MAX_TOOL_SIZE)
    return refused(`the description of "${name}" has ${size} characters; ${MAX_TOOL_SIZE} are allowed`);
  const examined = tryWithAllowance('The tool', Math.max(1, units), (): ExaminedTool => {
    const tool = toOfferedTool(server, settings, listed);
    const input = toUsableSchema(tool.parameters);
    const output = tool.outputSchema && toUsableSchema(tool.outputSchema);
    const usable = { ...tool, parameters: input.schema, outputSchema: output && output.schema };
    return {
      tools: [usable],
      problems: listToolProblems(usable, listed),
      warnings: [...input.unchecked, ...(output?.unchecked ?? [])].map(
        (keyword) => `the ${keyword} in the schema of "${name}" can't be checked here; the server checks it itself`,
      ),
    };
  });
  return examined ?? refused(`the schemas of "${name}" are too complex, together with those before it`);
}

const toSentence = (warning: string): string => warning.slice(0, 1).toUpperCase() + warning.slice(1);

function toOfferedTool(
  server: string,
  { trusted, tools = {}, timeout }: McpServerSettings,
  tool: ListedTool,
): OfferedMcpTool {
  const { timeout: ownTimeout = timeout, ...settings } = own(tools, tool.name) ?? {};
  return {
    name: `${server}.${settings.as ?? tool.name}`,
    ownName: tool.name,
    description: tool.description ?? '',
    parameters: toJsonObject(tool.inputSchema),
    outputSchema: tool.outputSchema ? toJsonObject(tool.outputSchema) : null,
    effect: settings.effect ?? safetyByHints(tool, trusted),
    pin: pinOfTool(tool),
    settings: { ...settings, timeout: ownTimeout },
  };
}

/**
 * Derives a tool's safety from its server's hints. Hints are not proven, so those of an untrusted server don't count,
 * and the tool is `unsafe` unless the configuration says otherwise.
 */
function safetyByHints({ annotations }: ListedTool, trusted: boolean): CallSafety {
  const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  return trusted && isRepeatable ? 'idempotent' : 'unsafe';
}

/** Units of the meter: enough for a thousand tools with ordinary schemas; they take the process some seconds at most. */
const MAX_LISTING_UNITS = 50_000_000;

/** In characters of JSON: description, schemas and annotations of one tool. All of it may go to a model. */
const MAX_TOOL_SIZE = 65_536;

function listToolProblems(
  { name, ownName, parameters, outputSchema, pin, settings }: OfferedMcpTool,
  listed: ListedTool,
): readonly string[] {
  const problems: string[] = [];
  if (!TOOL_NAME.test(name))
    problems.push(
      `"${ownName}" can't be called "${name}": names have 1 to 64 letters, digits or _ . : -; "as" gives another`,
    );
  if (settings.pin !== undefined && settings.pin !== pin)
    problems.push(`"${ownName}" is not what was pinned: the pin is ${settings.pin}, the server's tool has ${pin}`);
  if (listed.execution?.taskSupport === 'required')
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

function findDuplicateNames(offered: readonly OfferedMcpTool[]): readonly string[] {
  const names = offered.map(({ name }) => name);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [...twice].map((name) => `two of its tools are called "${name}"`);
}

/** Hashes what models, checks and permissions depend on: a tool's description, schemas and annotations. */
export function pinOfTool({ description, inputSchema, outputSchema, annotations }: ListedTool): string {
  const text = canonicalJson(toJson({ description, inputSchema, outputSchema, annotations }));
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
