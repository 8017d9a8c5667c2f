import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Site } from './site.ts';

/** Named backups of a site's two databases. The site is stopped while its Temporal is backed up or restored. */
export interface Backups {
  /** Backs up the store while the site is running. */
  dumpStore(name: string): Promise<void>;
  /** Executes work while no process of the site is running. */
  whileStopped(work: () => Promise<void>): Promise<void>;
  /** Backs up Temporal's database, which must be stopped. */
  copyTemporal(name: string): Promise<void>;
  restoreStore(name: string): Promise<void>;
  restoreTemporal(name: string): Promise<void>;
  remove(): Promise<void>;
}

/** The files of an SQLite database by suffix. The log may contain data that the first file does not contain yet. */
const FILES = ['', '-wal', '-shm'] as const;

/** Replaces the files of a database by those of another one; neither may be open. */
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
