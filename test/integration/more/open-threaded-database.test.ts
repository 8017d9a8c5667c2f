import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openThreadedDatabase } from '../../../src/dev/database/open-threaded-database.ts';
import type { ThreadedDatabase } from '../../../src/dev/database/open-threaded-database.ts';

let folder: string;
let database: ThreadedDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-thread-'));
  database = await openThreadedDatabase(join(folder, 'pglite'));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

test('values of an embedded database in a thread have the same types as without a thread', async () => {
  const statement = `select $1::json as json, $2::timestamptz as time, $3::bytea as bytes, $4::text[] as texts,
    null::json as nothing, 1.5::float8 as number`;
  const time = new Date('2026-01-02T03:04:05.678Z');
  const parameters = ['{"a":[1,null]}', time.toISOString(), new Uint8Array([1, 2]), ['x', 'y']];
  const { rows } = await database.query(statement, parameters);
  expect(rows).toEqual([
    { json: { a: [1, null] }, time, bytes: new Uint8Array([1, 2]), texts: ['x', 'y'], nothing: null, number: 1.5 },
  ]);
});

test('an error of an embedded database in a thread keeps its code', async () => {
  await expect(database.query('select 1 / $1::integer', [0])).rejects.toMatchObject({ code: '22012' });
  await expect(database.query('select 1', [])).resolves.toMatchObject({ rows: [{ '?column?': 1 }] });
});

test('a long statement in an embedded database does not block the event loop', async () => {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  await database.query('select count(*) from generate_series(1, $1::integer)', [2_000_000]);
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(5);
});

test('a listener of an embedded database receives notifications until it stops', async () => {
  const heard: string[] = [];
  const stop = database.onNotification((channel, payload) => heard.push(`${channel} ${payload}`));
  await database.exec('listen news');
  await database.query(`select pg_notify('news', $1)`, ['first']);
  stop();
  await database.query(`select pg_notify('news', $1)`, ['second']);
  expect(heard).toEqual(['news first']);
});

test('a folder with other content can not be opened as an embedded database', async () => {
  const file = join(folder, 'file');
  await writeFile(file, 'no database');
  await expect(openThreadedDatabase(file)).rejects.toThrow(/ErrnoError|ENOTDIR|EEXIST/);
});

test('a closed embedded database refuses statements, and opens again with its data', async () => {
  await database.exec('create table kept (n integer); insert into kept values (7)');
  await database.close();
  await expect(database.query('select 1', [])).rejects.toThrow('is closed');
  database = await openThreadedDatabase(join(folder, 'pglite'));
  expect((await database.query('select n from kept', [])).rows).toEqual([{ n: 7 }]);
});
