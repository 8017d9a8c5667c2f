import type { Catalog, ToolEntry } from '../../definition/catalog.ts';
import { freeParameters } from '../../definition/node-types/free-parameters.ts';
import {
  fixedArgumentsOf,
  isConfiguredTool,
  isGraphTool,
  graphToolName,
  namesOfTool,
} from '../../definition/node-types/offered-tool.ts';
import type {
  ConfiguredTool,
  FixedArguments,
  GraphTool,
  OfferedTool,
} from '../../definition/node-types/offered-tool.ts';
import { NODE_NAMES } from '../../expression/names.ts';
import type { Bindings } from '../../expression/names.ts';
import { parseMembers } from '../../expression/template.ts';
import type { ToolOffer } from '../../run/effect.ts';
import { isJsonObject, own } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type { NodeSettings } from '../node-settings.ts';

/** The arguments of a tool that a node fixes, as compiled for its calls. */
export interface FixedFields {
  readonly names: readonly string[];
  /** @throws GraphError `EXPRESSION_FAILED` or `PAYLOAD_TOO_LARGE` */
  fill(bindings: Bindings): JsonObject;
}

/** @returns `null` if the node fixes none */
export function compileFixedArguments(tool: string, args: FixedArguments | undefined): FixedFields | null {
  if (args === undefined) return null;
  return {
    names: Object.keys(args),
    fill: parseMembers(args, NODE_NAMES, (name) => `tools.${tool}.args.${name}`),
  };
}

/**
 * Returns the reason why a model's arguments are refused although the fixed ones are added; `null` if they are not. A
 * fixed argument that the model sends is refused even if it is the same, so that nothing can be guessed.
 */
export function refuseFixedArguments(tool: string, { names }: FixedFields, args: Json): string | null {
  if (args === null) return null;
  if (!isJsonObject(args)) return `The arguments of ${tool} must be an object`;
  const sent = names.find((name) => Object.hasOwn(args, name));
  return sent === undefined ? null : `${tool} takes no argument "${sent}" here; call it without`;
}

/** Returns the arguments of a call: what the model has chosen, and what the node fixes. */
export function withFixedArguments(free: Json, fixed: JsonObject): Json {
  return { ...(isJsonObject(free) ? free : {}), ...fixed };
}

/** Returns arguments without those of some names, for a model that must not see them. */
export function withoutFixedArguments(args: Json, fixed: JsonObject | null): Json {
  if (fixed === null || !isJsonObject(args)) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(fixed, name)));
}

/** Returns the tools of a node that a worker can't describe: graphs, and tools that differ from the configured ones. */
export function describeOffers(
  tools: readonly OfferedTool[],
  { catalog, graphTools }: Pick<NodeSettings, 'catalog' | 'graphTools'>,
): Readonly<Record<string, ToolOffer>> {
  return Object.fromEntries(
    tools.flatMap((tool) => {
      if (typeof tool === 'string' || !(isConfiguredTool(tool) || isGraphTool(tool))) return [];
      const entry = isGraphTool(tool) ? own(graphTools, graphToolName(tool))?.entry : configuredEntry(tool, catalog);
      return entry ? namesOfTool(tool).map((name) => [name, toOffer(tool, entry)] as const) : [];
    }),
  );
}

function configuredEntry({ tool }: ConfiguredTool, catalog: Catalog): ToolEntry | undefined {
  return own(catalog.tools, tool);
}

function toOffer(tool: ConfiguredTool | GraphTool, { description, parameters }: ToolEntry): ToolOffer {
  const fixed = fixedArgumentsOf(tool);
  return {
    description: tool.description ?? description,
    parameters: fixed === null ? parameters : freeParameters(parameters, Object.keys(fixed)),
  };
}
