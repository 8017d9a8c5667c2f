import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ownModule, ownNodeOptions } from '../../process/own-code.ts';
import type { KeptHistory } from './keep-histories.ts';

const execFileAsync = promisify(execFile);

/** A history that differs from what the code does. */
export interface HistoryDifference extends KeptHistory {
  readonly error: string;
  /** The path of the history; its metadata is in a file next to it. */
  readonly path: string;
}

export interface ReplayedHistories {
  readonly replayed: number;
  /** The first digits of the hash of the workflow code. */
  readonly bundle: string;
  readonly differences: readonly HistoryDifference[];
}

/**
 * Replays all histories that `keepHistories` stored in a folder, in a separate process, and deletes them from it.
 * @param environment names the workflow bundle, as for workers
 */
export async function replayHistories(folder: string, environment = process.env): Promise<ReplayedHistories> {
  const args = [...ownNodeOptions(), ownModule('./replay-kept', import.meta.url), folder];
  const { stdout } = await execFileAsync(process.execPath, args, { env: environment, maxBuffer: MAX_OUTPUT_BYTES });
  return JSON.parse(stdout);
}

const MAX_OUTPUT_BYTES = 2 ** 26;

/** Formats a difference as one line. */
export function describeHistoryDifference({
  workflowId,
  executionRunId,
  about,
  error,
  path,
}: HistoryDifference): string {
  return `${workflowId} (${executionRunId}; ${about}) replays in another way: ${error}; its history: ${path}`;
}
