import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { keepHistories } from '../../../src/dev/replays/keep-histories.ts';
import { describeDifference, replayHistories } from '../../../src/dev/replays/replay-histories.ts';
import type { Replayed } from '../../../src/dev/replays/replay-histories.ts';
import type { HistorySource } from '../../../src/dev/stack.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createDataConverter } from '../../../src/process/data-converter.ts';
import { openPostgresStore } from '../../../src/store/store.ts';

/*
 * Before the servers of a test are stopped, the histories of all its runs are kept in a folder. At the end of all tests the
 * same code replays them.
 */

/** The variable of servers whose runs are not replayed: it says why. Workers with other code need none. */
export const NOT_REPLAYED = 'HOLDFAST_TEST_NOT_REPLAYED';
/** The variable that names the folder; without one, nothing is kept. */
const FOLDER = 'HOLDFAST_TEST_HISTORIES';
const BUNDLE = 'HOLDFAST_WORKFLOW_BUNDLE';
/** The variable that names the file of tests that goes on. */
export const TEST_FILE = 'HOLDFAST_TEST_FILE';

/** Has tests keep histories from now on. */
export function keepHistoriesIn(folder: string): void {
  process.env[FOLDER] = folder;
}

/**
 * Keeps the histories of a server, which is about to be stopped.
 * @param environment the variables of what has run there
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

/** Why the code of the tests can't replay what has run with these variables; `null`: it can. */
function reasonIn({ [NOT_REPLAYED]: reason, [BUNDLE]: code }: NodeJS.ProcessEnv): string | null {
  if (reason !== undefined) return reason;
  // Poison, and interpreters of the next version.
  return code === undefined || code === process.env[BUNDLE] ? null : 'its workers have workflow code of their own';
}

/** Opens the histories of a Temporal server whose workers have no codecs. @param databaseUrl has the large payloads */
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

/** Replays what has been kept, and says what came of it. @returns false: something went another way */
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
  const { replayed, bundle, differences }: Replayed = await replayHistories(folder);
  say(`Replayed ${replayed} histories by workflow code ${bundle} in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  for (const difference of differences) say(` FAIL  ${describeDifference(difference)}`);
  return differences.length === 0;
}
