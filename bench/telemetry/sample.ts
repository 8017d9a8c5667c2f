import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer } from '../peers/peer.ts';
import { processorTimeOf, timeBetween } from '../peers/processor-time.ts';
import { timed } from '../peers/rows/row.ts';
import { METRICS_EVERY_MS, SPANS_EVERY_MS } from './variants.ts';
import { sized } from '../support/size.ts';

/** Some sequential runs of tool steps. */
export interface Load {
  readonly runs: number;
  readonly steps: number;
}

/** The results of one sample of a variant, per step. */
export interface Sample {
  readonly ms: number;
  /** The processor time of all its processes, in milliseconds. */
  readonly usedMs: number;
  /** The processor time of Node and of the database only. */
  readonly ownMs: number;
  readonly bytes: number;
}

/** The measured peer, and its telemetry. */
export interface Measured {
  readonly peer: Peer;
  /** The bytes of telemetry sent so far. */
  readonly sentBytes: () => number;
  /** Reads the metrics at intervals; `null` if the variant is not scraped. */
  readonly read: (() => Promise<void>) | null;
}

/** The remaining telemetry of the last run is sent within this time. */
const SETTLE_MS = sized(SPANS_EVERY_MS + 500, 0);

export async function takeSample({ peer, sentBytes, read }: Measured, { runs, steps }: Load): Promise<Sample> {
  const [usedBefore, bytesBefore] = [await processorTimeOf(peer.processes), sentBytes()];
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
    bytes: (sentBytes() - bytesBefore) / all,
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
