import { isDeeperThan } from '../../../graph/values/index.ts';
import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';

/** In characters of JSON: description, schemas and annotations of one tool. All of it may go to a model. */
const MAX_TOOL_SIZE = 65_536;

/** Checks the size of a tool's description before its schemas are looked at. @returns the problem, or `null` */
export function findSizeProblem(tool: ListedTool): string | null {
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
export function addListSize(before: number, page: readonly ListedTool[]): number {
  if (isDeeperThan(MAX_LEVELS, page)) throw new Error(`Its list of tools has more than ${MAX_LEVELS} levels of JSON`);
  const size = before + JSON.stringify(page).length;
  if (size > MAX_LIST_SIZE) throw new Error(`Its list of tools has more than ${MAX_LIST_SIZE} characters`);
  return size;
}
