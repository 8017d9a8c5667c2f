import { MemorySaver } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { SQLITE_SAVER } from '../sqlite-saver.ts';

const SAVERS: ReadonlyMap<string, () => Promise<BaseCheckpointSaver>> = new Map([
  ['memory', async () => new MemorySaver()],
  ['postgres', openPostgresSaver],
  ['sqlite', openSqliteSaver],
]);

/** Opens a saver by name, with the storage of the environment. */
export async function openSaver(name: string): Promise<BaseCheckpointSaver> {
  const open = SAVERS.get(name);
  if (!open) throw new Error(`There is no saver "${name}"`);
  return await open();
}

async function openPostgresSaver(): Promise<BaseCheckpointSaver> {
  const saver = PostgresSaver.fromConnString(process.env['DATABASE_URL'] ?? '');
  await saver.setup();
  return saver;
}

async function openSqliteSaver(): Promise<BaseCheckpointSaver> {
  const sqlite: { SqliteSaver: { fromConnString(file: string): BaseCheckpointSaver } } = await import(SQLITE_SAVER);
  return sqlite.SqliteSaver.fromConnString(process.env['SQLITE_FILE'] ?? '');
}
