import { resolve } from 'node:path';
import { setVariables } from '../../process/process-options.ts';
import { allSettled } from '../teardown.ts';
import type { Teardown } from '../teardown.ts';
import { openThreadedDatabase } from './open-threaded-database.ts';
import type { Database } from './use-store.ts';

/** The possible locations of the database. */
interface DatabaseOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly dataDir: string;
}

/** Opens the database that `DATABASE_URL` names, or an embedded one in the data folder. */
export async function openDatabase({ environment, dataDir }: DatabaseOptions, teardown: Teardown): Promise<Database> {
  const { DATABASE_URL } = setVariables(environment);
  if (DATABASE_URL !== undefined) {
    const { useStore } = await import('./use-store.ts');
    return await useStore(DATABASE_URL, teardown);
  }
  // The store's modules are loaded while the thread starts.
  const [database, { useStore }] = await allSettled([
    openThreadedDatabase(resolve(dataDir, 'pglite')),
    import('./use-store.ts'),
  ]);
  teardown.add(() => database.close());
  return await useStore({ database, blobs: resolve(dataDir, 'blobs') }, teardown);
}
