import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Site } from './site.ts';

/** Backups of a site's two databases, under names. A site stands still while its Temporal is backed up or restored. */
export interface Backups {
  /** Backs the store up while everything goes on. */
  dumpStore(name: string): Promise<void>;
  /** Does something while no process of the site is there. */
  whileStopped(work: () => Promise<void>): Promise<void>;
  /** Backs Temporal's database up, which is stopped. */
  copyTemporal(name: string): Promise<void>;
  restoreStore(name: string): Promise<void>;
  restoreTemporal(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** The files of an SQLite database by how their names end. The log may hold what the first has not yet. */
const FILES = ['', '-wal', '-shm'] as const;

/** Makes the files of one database those of another one; neither is open. */
async function copyDatabase(from: string, to: string): Promise<void> {
  for (const end of FILES) {
    await rm(to + end, { force: true });
    if (existsSync(from + end)) await copyFile(from + end, to + end);
  }
}

export async function openBackups(site: Site): Promise<Backups> {
  const { api, worker, temporal, postgres } = site.deployment;
  const { databaseFile } = temporal;
  if (databaseFile === null) throw new TypeError('A backup is a copy of a file');
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-backups-'));
  const dumpOf = (name: string): string => join(folder, `${name}.dump`);
  const copyOf = (name: string): string => join(folder, `${name}.db`);
  return {
    dumpStore: async (name) => await postgres.dump('holdfast', dumpOf(name)),
    async whileStopped(work) {
      await Promise.all([api.stop(), worker.stop()]);
      await temporal.stop();
      await work();
      await temporal.start();
      await Promise.all([api.start(), worker.start()]);
      await Promise.all([api.said('API listening'), worker.said('worker started')]);
      await site.untilReady();
    },
    copyTemporal: async (name) => await copyDatabase(databaseFile, copyOf(name)),
    restoreStore: async (name) => await postgres.restore('holdfast', dumpOf(name)),
    restoreTemporal: async (name) => await copyDatabase(copyOf(name), databaseFile),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
