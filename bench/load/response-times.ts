import { median, round } from '../support/timed-run.ts';

/** The response times of requests with a given concurrency. */
export interface ResponseTimes {
  readonly what: string;
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

interface RequestLoad {
  readonly what: string;
  readonly atATime: number;
  readonly forMs: number;
  readonly once: () => Promise<unknown>;
}

/** Sends requests for a while with a given concurrency. */
export async function measureResponses({ what, atATime, forMs, once }: RequestLoad): Promise<ResponseTimes> {
  const tookMs: number[] = [];
  const begin = performance.now();
  const askOn = async (): Promise<void> => {
    for (let asked = begin; asked - begin < forMs; asked = performance.now()) {
      const sent = performance.now();
      await once();
      tookMs.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: atATime }, askOn));
  const seconds = (performance.now() - begin) / 1_000;
  return {
    what,
    requests: tookMs.length,
    perSecond: round(tookMs.length / seconds, 0),
    medianMs: round(median(tookMs), 1),
    p95Ms: round(percentile(tookMs, 0.95), 1),
  };
}

/** @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
