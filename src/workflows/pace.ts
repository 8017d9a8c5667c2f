import { CancellationScope, sleep, workflowInfo } from '@temporalio/workflow';
import type { CallEffect, CallRequest } from '../graph/effect.ts';
import { roomAfter } from '../graph/json.ts';

interface Ordered {
  readonly effect: CallEffect;
}

/** Spreads calls over workflow tasks, so that what one of them schedules fits into one request to the server. */
export interface Pace<T extends Ordered> {
  /** Begins a call, now or in a workflow task to come; those that wait keep their order. */
  order(call: T): void;
  /** Takes back the calls that wait. */
  withdraw(): readonly T[];
}

/** The server takes 4 MiB; the journal's batch and what Temporal shows of the run come on top. */
const MAX_BYTES = 3_000_000;
/** What a call takes besides its request. */
const CALL_BYTES = 1_000;
/** A larger request goes by reference (`data-converter.ts`). */
const MAX_INLINE_BYTES = 65_536;

export function createPace<T extends Ordered>(begin: (call: T) => void): Pace<T> {
  const waiting: T[] = [];
  let isSleeping = false;
  let task = -1;
  let left = 0;
  const admit = ({ effect }: T): boolean => {
    const { historyLength } = workflowInfo();
    if (historyLength !== task) left = MAX_BYTES;
    task = historyLength;
    const size = CALL_BYTES + inlineBytes(effect.request);
    if (size > left) return false;
    left -= size;
    return true;
  };
  const beginWaiting = (): void => {
    for (let next = waiting[0]; next && admit(next); next = waiting[0]) {
      waiting.shift();
      begin(next);
    }
    isSleeping = waiting.length > 0;
    if (isSleeping) void CancellationScope.nonCancellable(() => sleep(1)).then(beginWaiting);
  };
  return {
    order(call) {
      waiting.push(call);
      if (!isSleeping) beginWaiting();
    },
    withdraw: () => waiting.splice(0),
  };
}

/** Counted in the text that travels: what JSON escapes takes more bytes there than in the value. */
function inlineBytes(request: CallRequest): number {
  const text = JSON.stringify(request);
  const left = roomAfter(MAX_INLINE_BYTES, text);
  return left < 0 ? 0 : MAX_INLINE_BYTES - left;
}
