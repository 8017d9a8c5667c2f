import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { openEmbeddedStore } from '../../../src/store/store.ts';
import type { Store } from '../../../src/store/store.ts';

/** A store in its own embedded database. */
export interface MemoryStore extends Store {
  readonly database: PGlite;
}

/** Empty databases of closed stores, for reuse, because a new database takes a second. */
const idle: PGlite[] = [];

/** Opens an empty store. Once it is closed, the next store reuses its database. */
export async function openMemoryStore(): Promise<MemoryStore> {
  const database = idle.pop() ?? (await openMemoryDatabase());
  const store = await openEmbeddedStore(database);
  const close = async (): Promise<void> => {
    await store.close();
    await removeRows(database);
    idle.push(database);
  };
  return { ...store, database, close };
}

let image: Promise<Blob> | undefined;

/** Returns a new database with the tables of a store. Each one is a copy of the first that the process makes. */
export async function openMemoryDatabase(): Promise<PGlite> {
  image ??= makeImage();
  return await PGlite.create({ loadDataDir: await image, extensions: { vector } });
}

async function makeImage(): Promise<Blob> {
  const database = await PGlite.create({ extensions: { vector } });
  await openEmbeddedStore(database);
  const dumped = await database.dumpDataDir('none');
  await database.close();
  return dumped;
}

/** Empties all tables except those of the migrations. */
async function removeRows(database: PGlite): Promise<void> {
  const { rows } = await database.query<{ tables: string }>(
    `select string_agg(quote_ident(table_name), ', ') as tables from information_schema.tables
     where table_schema = 'public' and table_name not like '%migration%'`,
  );
  await database.exec(`truncate ${rows[0]?.tables} restart identity cascade`);
}
