import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import type { PGlite } from '@electric-sql/pglite';

interface FolderDeps {
  readonly open: (folder: string) => Promise<PGlite>;
  /** The folder of a database without data, which may not be there yet. */
  readonly kept: string;
}

/**
 * Opens the database of a folder. To make one takes seconds, so the first one is kept as it is then, and later ones begin
 * as its copies.
 */
export async function openFolder(folder: string, { open, kept }: FolderDeps): Promise<PGlite> {
  if (existsSync(folder)) return await open(folder);
  if (existsSync(kept)) {
    await copyWhole(kept, folder);
    return await open(folder);
  }
  const database = await open(folder);
  await database.exec('checkpoint');
  // The next one can be made anew, too.
  await copyWhole(folder, kept).catch(() => undefined);
  return database;
}

/** Copies a folder, which is there whole or not at all, also if the process ends meanwhile. */
async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}`;
  try {
    await cp(from, partial, { recursive: true });
    await rename(partial, to);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
