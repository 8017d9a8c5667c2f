import { PGlite } from '@electric-sql/pglite';
import { openEmbeddedStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';

let image: Promise<Blob> | undefined;

/** An embedded database with our tables. A process makes one, and copies it from then on: that is much faster. */
export async function openMemoryDatabase(): Promise<PGlite> {
  image ??= makeImage();
  return await PGlite.create({ loadDataDir: await image });
}

export async function openMemoryStore(): Promise<Store> {
  return await openEmbeddedStore(await openMemoryDatabase());
}

async function makeImage(): Promise<Blob> {
  const database = await PGlite.create();
  await openEmbeddedStore(database);
  const dumped = await database.dumpDataDir('none');
  await database.close();
  return dumped;
}
