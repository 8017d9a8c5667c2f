import type { ToolCall } from '../../graph/definition/index.ts';
import { createDistinctTexts } from '../../graph/values/index.ts';
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
  const give = createDistinctTexts((id, copy) => toProviderCallId(copy === 1 ? id : `${id}#${copy}`));
  const opened = new Map<string, Opened>();
  return {
    open({ id, name }) {
      const call = { id: give(id), name };
      const same = opened.get(id);
      if (same) same.calls.push(call);
      else opened.set(id, { calls: [call], answered: 0 });
      return call.id;
    },
    close(id) {
      const same = opened.get(id);
      return same?.calls[same.answered++] ?? null;
    },
  };
}

/** The calls with one id. */
interface Opened {
  readonly calls: NamedCall[];
  answered: number;
}
