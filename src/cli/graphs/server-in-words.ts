import type { OfferedTool } from '../../activities/tools/mcp/offer-tools.ts';
import type { McpServerSettings } from '../../activities/tools/mcp/server-settings.ts';
import { escapeInvisible, own } from '../../graph/values/index.ts';

/** A configured server with all its tools. */
export interface ServerListing {
  readonly server: string;
  readonly settings: McpServerSettings;
  readonly tools: readonly OfferedTool[];
  /** Reasons why the server can't be used as configured. */
  readonly problems: readonly string[];
}

/** Describes a server's tools for the person who approves them. */
export function serverInWords({ server, settings, tools, problems }: ServerListing): string {
  return [
    `${server}: ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`,
    ...problems.map((problem) => `  ! ${escapeInvisible(problem)}`),
    ...tools.map((tool) => describeTool(tool, settings)),
    '',
  ].join('\n');
}

function describeTool(tool: OfferedTool, settings: McpServerSettings): string {
  const { ownName, effect, description, parameters, outputSchema } = tool;
  const texts = [
    description,
    `takes ${JSON.stringify(parameters, null, 2)}`,
    ...(outputSchema ? [`gives ${JSON.stringify(outputSchema, null, 2)}`] : []),
  ];
  const body = texts.map((text) => escapeInvisible(text).replaceAll(/^/gm, '    ')).join('\n');
  return `  ${escapeInvisible(ownName)} (${effect}, ${describePin(tool, settings)})\n${body}`;
}

function describePin({ ownName, pin, settings }: OfferedTool, { tools }: McpServerSettings): string {
  if (tools && !own(tools, ownName)) return 'not offered';
  if (settings.pin === undefined) return 'not pinned';
  return settings.pin === pin ? 'pinned' : 'changed since it was pinned';
}
