import { isJsonList } from '../../values/json.ts';
import type { Json, JsonObject } from '../../values/json.ts';
import type { FieldProblem } from './node-description.ts';

/*
 * An agent with `handoff` offers its model one tool for each node in the list. A request for one ends the agent, and the
 * run continues at that node. No call is made.
 */

const PREFIX = 'handoff_to_';

/** The limit of characters of a tool's name that every provider accepts. */
const MAX_TOOL_NAME = 64;
const MAX_NODE_NAME = MAX_TOOL_NAME - PREFIX.length;

/** Returns the name of the tool that hands over to a node. */
export function handoffToolName(node: string): string {
  return PREFIX + node;
}

/** Returns the names of the tools that hand over, for the `handoff` field of a node, which may be invalid. */
export function handoffToolNames(handoff: Json | undefined): readonly string[] {
  return isJsonList(handoff)
    ? handoff.flatMap((node) => (typeof node === 'string' ? [handoffToolName(node)] : []))
    : [];
}

/** The parameters of a tool that hands over. */
export const HANDOFF_PARAMETERS = {
  type: 'object',
  properties: { note: { type: 'string', description: 'What the next one has to know' } },
  additionalProperties: false,
} as const;

/** Finds targets that no tool can name, and targets whose tool has the name of another one. */
export function findHandoffProblems({ handoff }: JsonObject, offered: readonly string[]): readonly FieldProblem[] {
  if (!isJsonList(handoff)) return [];
  const taken = new Set(offered);
  return handoff.flatMap((node, index) => {
    if (typeof node !== 'string') return [];
    const message = problemOf(node, taken);
    taken.add(handoffToolName(node));
    return message === null ? [] : [{ field: `handoff/${index}`, message }];
  });
}

function problemOf(node: string, taken: ReadonlySet<string>): string | null {
  if (node.startsWith('__')) return `An agent hands over to nodes, not to ${node}: it ends by its answer`;
  if (node.length > MAX_NODE_NAME)
    return `The id of a node to hand over to has at most ${MAX_NODE_NAME} characters, since a tool is named after it`;
  if (taken.has(handoffToolName(node))) return `This agent has a tool "${handoffToolName(node)}" already`;
  return null;
}
