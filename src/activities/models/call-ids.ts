import type { ToolCall } from '../../graph/definition/index.ts';
import { toProviderCallId } from './tool-names.ts';

/** A tool call as one request speaks of it. */
export interface NamedCall {
  /** As every provider takes it. */
  readonly id: string;
  /** Of the tool. */
  readonly name: string;
}

/** The calls of one request, as its messages come to them. */
export interface CallIds {
  /** Gives a call an id that no other call of the request has. */
  open(call: ToolCall): string;
  /** The call that an answer is for: of several with its id, the first that has none. `null`: there is no such call. */
  close(id: string): NamedCall | null;
}

/** Messages that people or graphs have written may give an id twice; providers refuse such a request. */
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
