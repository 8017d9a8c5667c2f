import type { Logger } from 'pino';
import type { ModelDelta } from '../graph/journal/index.ts';
import type { Deltas } from '../store/deltas.ts';

/** Publishes deltas of a run. It never fails, and nothing waits for it. */
export type TellDeltas = (runId: string, deltas: readonly ModelDelta[]) => void;

/** What one attempt says, told in pieces. */
export interface AttemptDeltas {
  /** True once anything has been said. */
  hasText(): boolean;
  say(text: string): void;
  /** Tells what is not told yet, and nothing after that. */
  close(): void;
}

type Attempt = Omit<ModelDelta, 'index' | 'text'>;

/** What is said meanwhile is told together. */
const TELL_AFTER_MS = 50;

/** UTF-16 units of a delta. As JSON they take six bytes each at most, and PostgreSQL takes 8,000. */
const MAX_LENGTH = 1_000;

/** An attempt that says more is told no further, in UTF-16 units. */
const MAX_TOLD = 1_000_000;

/** Opens the deltas of one attempt of a call. */
export function openDeltas(tell: (deltas: readonly ModelDelta[]) => void, attempt: Attempt): AttemptDeltas {
  let said = '';
  let told = 0;
  let index = 0;
  let isOpen = true;
  let timer: NodeJS.Timeout | null = null;
  const tellNow = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const pieces = cut(said);
    said = '';
    if (pieces.length > 0) tell(pieces.map((text) => ({ ...attempt, index: index++, text })));
  };
  return {
    hasText: () => told > 0,
    say(text) {
      if (!isOpen || text === '' || told + text.length > MAX_TOLD) return;
      told += text.length;
      said += text;
      if (said.length >= MAX_LENGTH) return tellNow();
      timer ??= setTimeout(tellNow, TELL_AFTER_MS).unref();
    },
    close() {
      isOpen = false;
      tellNow();
    },
  };
}

/** Cuts a text into pieces that a delta can hold, between characters. */
function cut(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const isWithin = /[\uD800-\uDBFF]/.test(text.charAt(start + MAX_LENGTH - 1));
    const end = start + MAX_LENGTH - (isWithin ? 1 : 0);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Publishes deltas without waiting. That they can't be told is logged once, and costs no call its result. */
export function createTellDeltas({ publish }: Pick<Deltas, 'publish'>, logger: Pick<Logger, 'warn'>): TellDeltas {
  let hasFailed = false;
  return (runId, deltas) => {
    publish(runId, deltas).catch((error: unknown) => {
      if (!hasFailed) logger.warn({ error }, 'what models say can not be told while they say it');
      hasFailed = true;
    });
  };
}
