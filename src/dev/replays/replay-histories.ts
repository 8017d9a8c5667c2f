import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownModule, ownNodeOptions } from '../../process/own-code.ts';
import type { KeptHistory } from './keep-histories.ts';

const run = promisify(execFile);

/** A history that the code would not have made. */
export interface Difference extends KeptHistory {
  readonly error: string;
  /** Where the history is; what is known of it lies beside it. */
  readonly path: string;
}

export interface Replayed {
  readonly replayed: number;
  /** Begins the hash of the workflow's code. */
  readonly bundle: string;
  readonly differences: readonly Difference[];
}

/**
 * Replays all histories that `keepHistories` has put into a folder, in a process of its own, and takes them out of it.
 * @param environment names the workflow's code, as for workers
 */
export async function replayHistories(folder: string, environment = process.env): Promise<Replayed> {
  const args = [...ownNodeOptions(), ownModule('./replay-kept', import.meta.url), folder];
  const { stdout } = await run(process.execPath, args, { env: environment, maxBuffer: MOST_SAID });
  return JSON.parse(stdout);
}

const MOST_SAID = 2 ** 26;

/** A difference as a line. */
export function describeDifference({ workflowId, executionRunId, about, error, path }: Difference): string {
  return `${workflowId} (${executionRunId}; ${about}) replays in another way: ${error}; its history: ${path}`;
}
