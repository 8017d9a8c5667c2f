import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownModule, ownNodeOptions } from '../../process/own-code.ts';
import type { KeptHistory } from './keep-histories.ts';

const run = promisify(execFile);

/** A history that differs from what the code does. */
export interface Difference extends KeptHistory {
  readonly error: string;
  /** The path of the history; its metadata is in a file next to it. */
  readonly path: string;
}

export interface Replayed {
  readonly replayed: number;
  /** The first digits of the hash of the workflow code. */
  readonly bundle: string;
  readonly differences: readonly Difference[];
}

/**
 * Replays all histories that `keepHistories` stored in a folder, in a separate process, and deletes them from it.
 * @param environment names the workflow bundle, as for workers
 */
export async function replayHistories(folder: string, environment = process.env): Promise<Replayed> {
  const args = [...ownNodeOptions(), ownModule('./replay-kept', import.meta.url), folder];
  const { stdout } = await run(process.execPath, args, { env: environment, maxBuffer: MAX_OUTPUT_BYTES });
  return JSON.parse(stdout);
}

const MAX_OUTPUT_BYTES = 2 ** 26;

/** Formats a difference as one line. */
export function describeDifference({ workflowId, executionRunId, about, error, path }: Difference): string {
  return `${workflowId} (${executionRunId}; ${about}) replays in another way: ${error}; its history: ${path}`;
}
