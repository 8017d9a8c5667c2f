import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer } from '../peers/peer.ts';
import { processorTimeOf, timeBetween } from '../peers/processor-time.ts';
import { timed } from '../peers/rows/row.ts';
import { METRICS_EVERY_MS, SPANS_EVERY_MS } from './variants.ts';
import { sized } from '../support/size.ts';

/** Some runs of tool steps, one after another. */
export interface Load {
  readonly runs: number;
  readonly steps: number;
}

/** What one sample of a variant has shown, for a step. */
export interface Sample {
  readonly ms: number;
  /** The processor's time in all its processes, in milliseconds. */
  readonly usedMs: number;
  /** That of Node and of the database alone. */
  readonly ownMs: number;
  readonly bytes: number;
}

/** What is measured: a peer, and how it tells of what it does. */
export interface Measured {
  readonly peer: Peer;
  /** The bytes that have been told so far. */
  readonly toldBytes: () => number;
  /** Reads what is to be read again and again; `null`: nothing is. */
  readonly read: (() => Promise<void>) | null;
}

/** What is left to be told when the last run has ended is told by then. */
const SETTLE_MS = sized(SPANS_EVERY_MS + 500, 0);

export async function takeSample({ peer, toldBytes, read }: Measured, { runs, steps }: Load): Promise<Sample> {
  const [usedBefore, bytesBefore] = [await processorTimeOf(peer.processes), toldBytes()];
  const reading = read && readAgainAndAgain(read);
  const ms = await timed(async () => {
    for (let run = 0; run < runs; run++) await peer.toolSteps(steps);
  });
  await reading?.stop();
  await sleep(SETTLE_MS);
  const { temporal = 0, ...own } = timeBetween(usedBefore, await processorTimeOf(peer.processes));
  const ownMs = Object.values(own).reduce((sum, program) => sum + program, 0);
  const all = runs * steps;
  return {
    ms: ms / all,
    usedMs: (ownMs + temporal) / all,
    ownMs: ownMs / all,
    bytes: (toldBytes() - bytesBefore) / all,
  };
}

function readAgainAndAgain(read: () => Promise<void>): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reading = (async () => {
    while (!signal.aborted) {
      await read();
      await sleep(METRICS_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await reading;
    },
  };
}
