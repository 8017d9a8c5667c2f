import { existsSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';

interface FolderDeps {
  readonly open: (folder: string) => Promise<PGlite>;
  /** The folder of an empty database, which may not exist yet. */
  readonly kept: string;
}

/**
 * Opens the database of a folder. Creating one takes seconds, so an empty copy of the first one is kept, and later ones
 * begin as copies of it.
 */
export async function openFolder(folder: string, { open, kept }: FolderDeps): Promise<PGlite> {
  if (existsSync(folder)) return await open(folder);
  if (existsSync(kept)) {
    await copyWhole(kept, folder);
    return await open(folder);
  }
  const database = await open(folder);
  await database.exec('checkpoint');
  // A failed copy is ignored: the next database is then created anew.
  await copyWhole(folder, kept).catch(() => undefined);
  return database;
}

/** Copies a folder atomically: the copy is complete or does not exist, even if the process ends meanwhile. */
async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}`;
  try {
    await cp(from, partial, { recursive: true });
    await rename(partial, to);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Opens the embedded PostgreSQL, an optional package.
 * @param folder the folder of its files
 * @throws Error that explains how to install it
 */
export async function openPglite(folder: string): Promise<PGlite> {
  const { PGlite: Database } = await import('@electric-sql/pglite').catch((error: unknown) => {
    throw isMissingModule(error) ? new Error(MISSING_POSTGRES_MESSAGE, { cause: error }) : error;
  });
  return await Database.create(folder, { extensions: await findVectorExtension() });
}

/** The extension for vectors, if its package is installed. */
async function findVectorExtension() {
  try {
    const { vector } = await import('@electric-sql/pglite-pgvector');
    return { vector };
  } catch (error) {
    if (isMissingModule(error)) return {};
    throw error;
  }
}

/** The installed version; `none` without one. */
export function pgliteVersion(): string {
  try {
    const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
    const found: unknown = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'));
    return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'none';
  } catch {
    return 'none';
  }
}

function isMissingModule(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

const MISSING_POSTGRES_MESSAGE = `The embedded PostgreSQL is not installed. Install it for development:

  npm install --save-dev @electric-sql/pglite

or set DATABASE_URL to a PostgreSQL server of yours.`;
