import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { descendantsOf } from '../../test/support/servers/process-family.ts';

/** A CPU limit for a process and its descendants. */
export interface CoreShare {
  /** Removes the limit; the processes must have ended. */
  remove(): Promise<void>;
}

const PERIOD_US = 100_000;

/** The locations of the two versions of Linux's control groups, and their settings for the CPU quota. */
const VERSIONS = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', limit: (us: number) => String(us) },
  { root: '/sys/fs/cgroup', file: 'cpu.max', limit: (us: number) => `${us} ${PERIOD_US}` },
];

/**
 * Limits a process and its descendants to a part of a core. Linux only, and as root.
 * @param share 0.5 is half of a core
 */
export async function openCoreShare(pid: number, share: number): Promise<CoreShare> {
  const version = VERSIONS.find(({ root }) => existsSync(root));
  if (!version) throw new Error('--share needs the control groups of Linux');
  const folder = join(version.root, `holdfast-${pid}`);
  await mkdir(folder);
  await writeFile(join(folder, version.file), version.limit(Math.round(share * PERIOD_US)));
  for (const member of [pid, ...(await descendantsOf(pid))])
    await writeFile(join(folder, 'cgroup.procs'), String(member));
  return { remove: () => rmdir(folder) };
}
