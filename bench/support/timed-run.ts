import type { Client, WorkflowStartOptions } from '@temporalio/client';

/** The start options of a workflow. */
export type Start = WorkflowStartOptions & { readonly workflowType: string; readonly args: [unknown] };

/** A workflow that has ended. */
export interface TimedRun {
  readonly ms: number;
  readonly historyEvents: number;
  readonly historyBytes: number;
  readonly result: unknown;
}

/** Runs a workflow once. */
export async function timeRun(client: Client, { workflowType, ...options }: Start): Promise<TimedRun> {
  const begin = performance.now();
  const handle = await client.workflow.start(workflowType, options);
  const result: unknown = await handle.result();
  const ms = performance.now() - begin;
  const { historyLength, historySize } = await handle.describe();
  return { ms, historyEvents: historyLength, historyBytes: historySize ?? 0, result };
}

/** The medians of several runs. */
export function summarize(runs: readonly TimedRun[]): Omit<TimedRun, 'result'> {
  return {
    ms: round(median(runs.map(({ ms }) => ms)), 2),
    historyEvents: median(runs.map(({ historyEvents }) => historyEvents)),
    historyBytes: median(runs.map(({ historyBytes }) => historyBytes)),
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** Prints a line of a benchmark's output. */
export function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
