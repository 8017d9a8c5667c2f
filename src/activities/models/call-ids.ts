import type { ToolCall } from '../../graph/definition/index.ts';
import { toProviderCallId } from './tool-names.ts';

/** A tool call as it appears in one request. */
export interface NamedCall {
  /** In a spelling that every provider accepts. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
}

/** Ids of the tool calls in one request, assigned in the order of its messages. */
export interface CallIds {
  /** Assigns a call an id that is unique in the request. */
  open(call: ToolCall): string;
  /**
   * Finds the call that an answer belongs to: the first unanswered one with this id. @returns `null` if there is none
   */
  close(id: string): NamedCall | null;
}

/** Messages of people or graphs may repeat an id; providers refuse such a request. */
export function createCallIds(): CallIds {
  const used = new Set<string>();
  const waiting = new Map<string, NamedCall[]>();
  return {
    open({ id, name }) {
      const unique = firstFree(id, used);
      used.add(unique);
      waiting.set(id, [...(waiting.get(id) ?? []), { id: unique, name }]);
      return unique;
    },
    close: (id) => waiting.get(id)?.shift() ?? null,
  };
}

function firstFree(id: string, used: ReadonlySet<string>): string {
  let free = toProviderCallId(id);
  for (let copy = 2; used.has(free); copy++) free = toProviderCallId(`${id}#${copy}`);
  return free;
}
