import { isJsonList } from '../values/json.ts';
import { isOfferedTool } from './node-types/offered-tool.ts';
import type { OfferedTool } from './node-types/offered-tool.ts';
import { describeNode } from './node-types/describe-node.ts';
import { writesOf } from './writes-of.ts';
import type { PlacedFields } from './writes-of.ts';

/**
 * Returns the tools of a `tool` node with `calls` that names none: those of the `llm` node that alone writes the
 * channel, apart from the answers that nodes with `calls` add.
 * @param all the nodes of the graph
 * @returns `null` if other nodes, or none, write the channel
 */
export function toolsOfCalls(channel: string, all: readonly PlacedFields[]): readonly OfferedTool[] | null {
  const [writer, ...others] = all.filter((node) =>
    writesOf(node).some(({ name, path }) => name === channel && path !== `${node.path}/calls`),
  );
  if (!writer || others.length > 0) return null;
  const { requestsTools } = describeNode(writer.fields);
  if (requestsTools === undefined) return null;
  const tools = writer.fields[requestsTools];
  return isJsonList(tools) ? tools.filter(isOfferedTool) : [];
}
