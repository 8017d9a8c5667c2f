import { setTimeout as sleep } from 'node:timers/promises';

/** Sends payloads to the database in one statement. */
type Send = (payloads: readonly string[]) => Promise<void>;

/** Statements that tell of deltas wait for each other in the database, so a process makes few. */
const PAUSE_MS = 20;

/** The most payloads that wait for their statement. */
const MAX_WAITING = 500;

/** What the next statement sends, and its end. */
interface Batch {
  readonly payloads: string[];
  readonly sent: Promise<void>;
}

/**
 * Sends payloads in their order, one statement at a time: what comes meanwhile waits and is sent together.
 * @returns a function that resolves when its payloads are sent; those that find too many waiting are lost
 */
export function createTeller(send: Send): Send {
  let waiting: Batch | null = null;
  let lastEnd: Promise<unknown> = Promise.resolve();
  const open = (): Batch => {
    const payloads: string[] = [];
    const sent = lastEnd.then(async () => {
      waiting = null;
      await send(payloads);
    });
    lastEnd = sent.catch(() => undefined).then(async () => await sleep(PAUSE_MS, undefined, { ref: false }));
    return { payloads, sent };
  };
  return async (payloads) => {
    if (payloads.length === 0) return;
    waiting ??= open();
    if (waiting.payloads.length + payloads.length > MAX_WAITING) return;
    waiting.payloads.push(...payloads);
    await waiting.sent;
  };
}
