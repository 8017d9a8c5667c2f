import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { textAt } from './json-at.ts';
import { completeFrames } from './event-stream.ts';

/** The data that a reader received of a run, over connections that were cut. */
export interface CutReading {
  /** The received items with an id, in order. */
  readonly events: readonly Json[];
  /** The received items without an id. */
  readonly deltas: readonly Json[];
  /** The number of connections that the reader has cut. */
  readonly cuts: number;
  /** The number of connections that failed or broke because the server was gone. */
  readonly lost: number;
}

/** The point at which the reader cuts a connection. */
export interface CutPoint {
  /** The number of characters after which it cuts. */
  readonly characters: number;
  /** The time after which it cuts in any case. */
  readonly ms: number;
}

interface CutReader {
  /** @param after the id of the last known event; empty without one */
  readonly open: (after: string) => Promise<Response>;
  readonly nextCut: () => CutPoint;
  /** Receives the complete text of a connection whenever more has arrived. */
  readonly onText?: (text: string) => void;
}

const PAUSE_WITHOUT_SERVER_MS = 100;
const ENDINGS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.canceled']);

/** Reads a run to its end over several connections, each of which continues where the previous one was cut. */
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
    completeFrames(text).forEach(take);
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

async function readPiece({ open, onText }: PieceReader, { characters, ms }: CutPoint): Promise<Piece> {
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
