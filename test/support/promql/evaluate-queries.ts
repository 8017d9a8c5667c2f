import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { promqlProgram } from './provide-promql.ts';

/** The metrics of a target at a time, in milliseconds since the epoch. */
export interface Scrape {
  readonly at: number;
  readonly text: string;
}

const Results = z.array(z.object({ series: z.number(), compared: z.number(), error: z.string().optional() }));

/**
 * The result of a query: the series that it returns, and those that it compares with a bound; or the error of an
 * invalid one.
 */
type QueryResult = z.output<typeof Results>[number];

/** Evaluates queries with Prometheus's own engine, at the time of the last scrape. @throws when Go is not installed */
export async function evaluateQueries(
  scrapes: readonly Scrape[],
  queries: readonly string[],
): Promise<readonly QueryResult[]> {
  const evaluated = promisify(execFile)(await promqlProgram(), { maxBuffer: 16 * 1_048_576 });
  evaluated.child.stdin?.end(JSON.stringify({ scrapes, queries }));
  return Results.parse(JSON.parse((await evaluated).stdout));
}
