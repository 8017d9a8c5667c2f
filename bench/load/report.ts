import { toTable, writeToPage } from '../support/page.ts';
import type { ResponseTimes } from './response-times.ts';

/** The measurements of the bench. */
export interface Load {
  readonly asked: readonly ResponseTimes[];
  readonly atATime: number;
  readonly readers: {
    readonly count: number;
    readonly openedMs: number;
    readonly medianMs: number;
    readonly p99Ms: number;
    /** The memory of the API process with its descendants. */
    readonly memoryMib: { readonly before: number; readonly with: number };
  };
}

/** Writes the tables into the page on performance, in place of earlier ones. */
export async function writeLoad(load: Load): Promise<void> {
  await writeToPage('load', toTables(load));
}

/** A table of requests, and one of streams, in Markdown. */
export function toTables({ asked, atATime, readers }: Load): string {
  const rows = asked.map(({ what, requests, perSecond, medianMs, p95Ms }) => [
    what,
    String(perSecond),
    `${medianMs} ms`,
    `${p95Ms} ms`,
    String(requests),
  ]);
  const { count, openedMs, medianMs, p99Ms, memoryMib } = readers;
  return [
    `Requests that come ${atATime} at a time:`,
    toTable([['request', 'a second', 'median', '95th percentile', 'requests'], ...rows]),
    `${count} readers of one run, from the request that lets it go on to its event at a reader:`,
    toTable([
      ['all are there after', 'median', '99th percentile', 'memory of the API', 'before them'],
      [`${openedMs} ms`, `${medianMs} ms`, `${p99Ms} ms`, `${memoryMib.with} MiB`, `${memoryMib.before} MiB`],
    ]),
  ].join('\n\n');
}
