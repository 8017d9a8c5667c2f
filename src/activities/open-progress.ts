import type { CallProgress } from '../graph/journal/index.ts';
import { calleeOf } from '../graph/run/index.ts';
import { messageOf, toJson } from '../graph/values/index.ts';
import type { Json } from '../graph/values/index.ts';
import type { CallLogger } from './calls/call-logger.ts';
import type { CallTask } from './calls/call-task.ts';
import type { PublishDeltas } from './open-deltas.ts';

/** The progress of one attempt, as its code reports it. */
export interface AttemptProgress {
  /** Never throws: a value that can not be published is left out. */
  report(this: void, value: unknown): void;
  /** Publishes the last value; later ones are dropped. */
  close(this: void): void;
}

/** Opens the progress of one attempt of a call. */
export type OpenProgress = (task: CallTask, attempt: number, logger: CallLogger) => AttemptProgress;

/** The most bytes of a value as JSON. */
const MAX_PROGRESS_BYTES = 4_096;

/** A call publishes at most one value in this time; the last one counts. */
const PROGRESS_EVERY_MS = 200;

export const noProgress: OpenProgress = () => ({ report: () => undefined, close: () => undefined });

/** Publishes the progress of calls to those who follow the run. Compensations have no followers. */
export function createOpenProgress(publish: PublishDeltas): OpenProgress {
  return (task, attempt, logger) => {
    const { key: callKey, node, visit, path, runId, request } = task;
    if (visit === undefined) return noProgress(task, attempt, logger);
    const { name: tool } = calleeOf(request);
    const position = { node, ...(path && { path }), visit, attempt, callKey, tool };
    return limitRate(logger, (value) => publish(runId, [{ ...position, value }]));
  };
}

/** Passes on the first value at once, and then the latest one after each pause. */
function limitRate(logger: CallLogger, publish: (value: CallProgress['value']) => void): AttemptProgress {
  let pending: { readonly value: Json } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isOpen = true;
  const publishPending = (): void => {
    timer = null;
    if (!pending) return;
    publish(pending.value);
    pending = null;
    if (isOpen) timer = setTimeout(publishPending, PROGRESS_EVERY_MS).unref();
  };
  return {
    report(value) {
      const json = isOpen ? toProgressValue(logger, value) : undefined;
      if (json === undefined) return;
      pending = { value: json };
      if (timer === null) publishPending();
    },
    close() {
      isOpen = false;
      if (timer !== null) clearTimeout(timer);
      publishPending();
    },
  };
}

/** Converts a reported value. @returns `undefined` for one that is no JSON or too large, which is logged */
export function toProgressValue(logger: CallLogger, value: unknown): Json | undefined {
  try {
    const json = toJson(value);
    const bytes = Buffer.byteLength(JSON.stringify(json));
    if (bytes <= MAX_PROGRESS_BYTES) return json;
    logger.warn(`The progress of a call was left out: it has ${bytes} bytes, and may have ${MAX_PROGRESS_BYTES}`);
  } catch (error) {
    logger.warn(`The progress of a call was left out: ${messageOf(error)}`);
  }
  return undefined;
}
