import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/json.ts';
import { textAt } from './json-at.ts';
import { wholeFrames } from './event-stream.ts';

/** What a reader was given of a run, over connections that broke off. */
export interface CutReading {
  /** What has an id, as it came. */
  readonly events: readonly Json[];
  /** What has none. */
  readonly deltas: readonly Json[];
  /** Connections that the reader has broken off. */
  readonly cuts: number;
  /** Connections that came to no end of their own, or to none at all: the server was gone. */
  readonly lost: number;
}

/** Where the reader breaks a connection off. */
export interface Cut {
  /** After so many characters. */
  readonly characters: number;
  /** After this time, whatever has come. */
  readonly ms: number;
}

interface CutReader {
  /** @param after the id of the last event that the reader knows; empty: it knows none */
  readonly open: (after: string) => Promise<Response>;
  readonly nextCut: () => Cut;
  /** Is told all the text of a connection whenever more of it has come. */
  readonly onText?: (text: string) => void;
}

const PAUSE_WITHOUT_SERVER_MS = 100;
const ENDINGS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.canceled']);

/** Reads a run to its end, from connection to connection, each of which goes on where the one before was cut. */
export async function readInPieces({ open, nextCut, onText = () => undefined }: CutReader): Promise<CutReading> {
  const [events, deltas]: [Json[], Json[]] = [[], []];
  const broken: Record<Piece['end'], number> = { cut: 0, lost: 0, over: 0 };
  let lastId = '';
  const take = ({ id, data }: Readonly<Record<string, string>>): void => {
    if (data === undefined) return;
    (id === undefined ? deltas : events).push(toJson(JSON.parse(data)));
    lastId = id ?? lastId;
  };
  for (;;) {
    const { text, end } = await readPiece({ open: async () => await open(lastId), onText }, nextCut());
    broken[end] += 1;
    wholeFrames(text).forEach(take);
    const last = events.at(-1);
    if (last !== undefined && ENDINGS.has(textAt(last, '/type')))
      return { events, deltas, cuts: broken.cut, lost: broken.lost };
    if (end === 'lost') await sleep(PAUSE_WITHOUT_SERVER_MS);
  }
}

interface Piece {
  readonly text: string;
  readonly end: 'cut' | 'lost' | 'over';
}

interface PieceReader {
  readonly open: () => Promise<Response>;
  readonly onText: (text: string) => void;
}

async function readPiece({ open, onText }: PieceReader, { characters, ms }: Cut): Promise<Piece> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  let text = '';
  try {
    const { ok, body } = await open();
    if (!ok || !body) return { text, end: 'lost' };
    for await (const chunk of body.pipeThrough(new TextDecoderStream(), { signal: late.signal })) {
      text += chunk;
      onText(text);
      if (text.length >= characters) return { text: text.slice(0, characters), end: 'cut' };
    }
    return { text, end: 'over' };
  } catch {
    return { text, end: late.signal.aborted ? 'cut' : 'lost' };
  } finally {
    clearTimeout(timer);
  }
}
