import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { keepHistories } from '../../../src/dev/replays/keep-histories.ts';
import { describeHistoryDifference, replayHistories } from '../../../src/dev/replays/replay-histories.ts';
import type { ReplayedHistories } from '../../../src/dev/replays/replay-histories.ts';
import type { HistorySource } from '../../../src/dev/stack.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createDataConverter } from '../../../src/process/data-converter.ts';
import { openPostgresStore } from '../../../src/store/store.ts';

/*
 * Before the servers of a test stop, the histories of all its runs are stored in a folder. After all tests the same
 * code replays them.
 */

/** The variable of servers whose runs are not replayed; its value is the reason. Workers with other code need none. */
export const NOT_REPLAYED = 'HOLDFAST_TEST_NOT_REPLAYED';
/** The variable with the folder; without it nothing is stored. */
const FOLDER = 'HOLDFAST_TEST_HISTORIES';
const BUNDLE = 'HOLDFAST_WORKFLOW_BUNDLE';
/** The variable with the name of the running test file. */
export const TEST_FILE = 'HOLDFAST_TEST_FILE';

/** Makes tests store histories from now on. */
export function keepHistoriesIn(folder: string): void {
  process.env[FOLDER] = folder;
}

/**
 * Stores the histories of a server that is about to stop.
 * @param environment the variables of the processes that ran there
 */
export async function keepForReplay(open: () => Promise<HistorySource>, environment: NodeJS.ProcessEnv): Promise<void> {
  const folder = process.env[FOLDER];
  if (folder === undefined) return;
  const about = process.env[TEST_FILE] ?? 'no file of tests';
  const leftOut = reasonIn(environment);
  if (leftOut !== null) return await note(folder, `${about}: ${leftOut}`);
  try {
    await keepHistories(await open(), folder, about);
  } catch (error) {
    await note(folder, `${about}: its histories could not be had: ${String(error)}`);
  }
}

/** The reason why the code of the tests can't replay the runs of processes with these variables; `null` if it can. */
function reasonIn({ [NOT_REPLAYED]: reason, [BUNDLE]: code }: NodeJS.ProcessEnv): string | null {
  if (reason !== undefined) return reason;
  // Other bundles contain failing code, or interpreters of the next version.
  return code === undefined || code === process.env[BUNDLE] ? null : 'its workers have workflow code of their own';
}

/**
 * Opens the histories of a Temporal server whose workers have no codecs.
 * @param databaseUrl the database of large payloads
 */
export async function openSource(
  { address }: { readonly address: string },
  databaseUrl: string,
  teardown: Teardown,
): Promise<HistorySource> {
  const connection = await Connection.connect({ address });
  teardown.add(() => connection.close());
  const store = await openPostgresStore(databaseUrl);
  teardown.add(() => store.close());
  return { connection, namespace: 'default', dataConverter: createDataConverter(store.blobs) };
}

const NOTE = '.left-out';

async function note(folder: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${randomUUID()}${NOTE}`), text);
}

/** Replays the stored histories, and reports the result. @returns false if a replay differs */
export async function replayKept(say: (line: string) => void): Promise<boolean> {
  const folder = process.env[FOLDER] ?? '';
  const files = await readdir(folder).catch(() => []);
  const notes = files.filter((name) => name.endsWith(NOTE)).map((name) => join(folder, name));
  for (const file of notes) {
    say(`Not replayed: ${await readFile(file, 'utf8')}`);
    await rm(file);
  }
  if (!files.some((name) => name.endsWith('.history'))) return true;
  const startedAt = Date.now();
  const { replayed, bundle, differences }: ReplayedHistories = await replayHistories(folder);
  say(`Replayed ${replayed} histories by workflow code ${bundle} in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  for (const difference of differences) say(` FAIL  ${describeHistoryDifference(difference)}`);
  return differences.length === 0;
}
