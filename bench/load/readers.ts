import { createEventParser } from '../../src/client/read-stream.ts';

/** Readers of one run that receive its events as they occur. */
export interface Readers {
  /**
   * Resolves when all of them have received an event.
   * @returns the time after `since` at which each of them received it, in milliseconds
   */
  untilAllHave(seq: number, since: number): Promise<readonly number[]>;
  leave(): Promise<void>;
}

interface Reader {
  /** The arrival of each event by `seq`, in milliseconds of `performance.now()`. */
  readonly cameAt: Map<number, number>;
  readonly reading: Promise<void>;
}

/** @throws when one of them is refused */
export async function openReaders(count: number, url: string, token: string): Promise<Readers> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const open = async (): Promise<Reader> => {
    const answer = await fetch(url, { headers, signal: leaving.signal });
    if (!answer.ok || !answer.body) throw new Error(`A reader was refused: ${answer.status}`);
    const cameAt = new Map<number, number>();
    return { cameAt, reading: read(answer.body, cameAt) };
  };
  const readers = await Promise.all(Array.from({ length: count }, open));
  return {
    async untilAllHave(seq, since) {
      while (!readers.every(({ cameAt }) => cameAt.has(seq))) await new Promise((resolve) => setTimeout(resolve, 5));
      return readers.map(({ cameAt }) => (cameAt.get(seq) ?? since) - since);
    },
    async leave() {
      leaving.abort();
      await Promise.allSettled(readers.map(({ reading }) => reading));
    },
  };
}

async function read(body: ReadableStream<Uint8Array>, cameAt: Map<number, number>): Promise<void> {
  const parse = createEventParser();
  for await (const text of body.pipeThrough(new TextDecoderStream()))
    for (const { lastId, data } of parse(text)) if (data !== '') cameAt.set(Number(lastId), performance.now());
}
