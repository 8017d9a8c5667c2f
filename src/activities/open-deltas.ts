import type { Logger } from 'pino';
import type { LiveUpdate, ModelDelta } from '../graph/journal/index.ts';
import type { Deltas } from '../store/deltas.ts';

/** Publishes deltas of a run, or the progress of its calls. It never fails and never blocks. */
export type PublishDeltas = (runId: string, updates: readonly LiveUpdate[]) => void;

/** The text of one attempt, published in pieces while it is generated. */
export interface AttemptDeltas {
  /** True once there is text. */
  hasText(): boolean;
  add(text: string): void;
  /** Publishes the rest; later text is dropped. */
  close(): void;
}

type DeltaAttempt = Omit<ModelDelta, 'index' | 'text'>;

/** Text within this time is published together. */
const PUBLISH_AFTER_MS = 50;

/**
 * The maximum length of a delta in UTF-16 units. In JSON each takes up to six bytes, and PostgreSQL accepts 8,000
 * bytes.
 */
const MAX_DELTA_LENGTH = 1_000;

/** The maximum published length of an attempt in UTF-16 units; later text is not published. */
const MAX_PUBLISHED = 1_000_000;

/** Opens the deltas of one attempt of a call. */
export function openDeltas(publish: (deltas: readonly ModelDelta[]) => void, attempt: DeltaAttempt): AttemptDeltas {
  let pending = '';
  let length = 0;
  let index = 0;
  let isOpen = true;
  let timer: NodeJS.Timeout | null = null;
  const publishNow = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const pieces = splitIntoDeltas(pending);
    pending = '';
    if (pieces.length > 0) publish(pieces.map((text) => ({ ...attempt, index: index++, text })));
  };
  return {
    hasText: () => length > 0,
    add(text) {
      if (!isOpen || text === '' || length + text.length > MAX_PUBLISHED) return;
      length += text.length;
      pending += text;
      if (pending.length >= MAX_DELTA_LENGTH) return publishNow();
      timer ??= setTimeout(publishNow, PUBLISH_AFTER_MS).unref();
    },
    close() {
      isOpen = false;
      publishNow();
    },
  };
}

/** Splits a text between characters into pieces that fit into a delta. */
function splitIntoDeltas(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const isWithin = /[\uD800-\uDBFF]/.test(text.charAt(start + MAX_DELTA_LENGTH - 1));
    const end = start + MAX_DELTA_LENGTH - (isWithin ? 1 : 0);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Publishes deltas without waiting. The first failure is logged; calls never fail because of it. */
export function createPublishDeltas({ publish }: Pick<Deltas, 'publish'>, logger: Pick<Logger, 'warn'>): PublishDeltas {
  let hasFailed = false;
  return (runId, deltas) => {
    publish(runId, deltas).catch((error: unknown) => {
      if (!hasFailed) logger.warn({ error }, 'the text of models and the progress of calls can not be published');
      hasFailed = true;
    });
  };
}
