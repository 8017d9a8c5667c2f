import type { OfferedTool } from '../activities/tools/mcp/offer-tools.ts';
import type { McpServerSettings } from '../activities/tools/mcp/server-settings.ts';
import { own } from '../graph/values/index.ts';

/** A server of the configuration, and all tools that it lists. */
export interface ServerListing {
  readonly server: string;
  readonly settings: McpServerSettings;
  readonly tools: readonly OfferedTool[];
  /** What keeps it from being used as the configuration wants it. */
  readonly problems: readonly string[];
}

/** What a server says of its tools, for somebody who is to approve it. */
export function describeServer({ server, settings, tools, problems }: ServerListing): string {
  return [
    `${server}: ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`,
    ...problems.map((problem) => `  ! ${visible(problem)}`),
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
  const body = texts.map((text) => visible(text).replaceAll(/^/gm, '    ')).join('\n');
  return `  ${visible(ownName)} (${effect}, ${standingOf(tool, settings)})\n${body}`;
}

function standingOf({ ownName, pin, settings }: OfferedTool, { tools }: McpServerSettings): string {
  if (tools && !own(tools, ownName)) return 'not offered';
  if (settings.pin === undefined) return 'not pinned';
  return settings.pin === pin ? 'pinned' : 'changed since it was pinned';
}

/** Text of strangers: what would not show, or would move the cursor, is written out. */
function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}
