import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';

/**
 * Opens the embedded PostgreSQL, a package that an installation need not have.
 * @param folder where it keeps its files
 * @throws Error that says how to install it
 */
export async function openPglite(folder: string): Promise<PGlite> {
  const { PGlite: Database } = await import('@electric-sql/pglite').catch((error: unknown) => {
    throw isMissing(error) ? new Error(MISSING, { cause: error }) : error;
  });
  return await Database.create(folder, { extensions: await findVector() });
}

/** The extension by which memory is searched by meaning, if its package is installed. */
async function findVector() {
  try {
    const { vector } = await import('@electric-sql/pglite-pgvector');
    return { vector };
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

/** The version that is installed; `none` without one. */
export function pgliteVersion(): string {
  try {
    const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
    const found: unknown = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'));
    return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'none';
  } catch {
    return 'none';
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

const MISSING = `The embedded PostgreSQL is not installed. Install it for development:

  npm install --save-dev @electric-sql/pglite

or set DATABASE_URL to a PostgreSQL server of yours.`;
