import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolder, openPglite } from '../../../src/dev/database/open-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-folder-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test(
  'a second embedded database in one process begins as an empty copy of the first one',
  { timeout: 60_000 },
  async () => {
    const kept = join(folder, 'cache/kept');
    const wasThere: boolean[] = [];
    const open = async (name: string) => {
      wasThere.push(existsSync(name));
      return await openPglite(name);
    };
    const first = await openFolder(join(folder, 'first'), { open, kept });
    await first.exec('create table notes (text text)');
    await first.close();
    const second = await openFolder(join(folder, 'second'), { open, kept });
    await expect(second.query('select * from notes')).rejects.toMatchObject({ code: '42P01' });
    await second.exec('create table notes (text text)');
    await second.close();
    const again = await openFolder(join(folder, 'first'), { open, kept });
    await expect(again.query('select * from notes')).resolves.toMatchObject({ rows: [] });
    await again.close();
    expect(wasThere).toEqual([false, true, true]);
    expect(await readdir(join(folder, 'cache'))).toEqual(['kept']);
  },
);
