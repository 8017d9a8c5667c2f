import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sized } from './size.ts';

const SAMPLES = sized(20, 1);
const LOOK_EVERY_MS = 500;

/** The memory of an idle process and its descendants: the minimum of several samples, in KiB. Linux only. */
export async function settledMemory(pid: number): Promise<number> {
  const seen: number[] = [];
  for (let look = 0; look < SAMPLES; look++) {
    seen.push(await residentMemory(pid));
    await sleep(LOOK_EVERY_MS);
  }
  return Math.min(...seen);
}

/** The current memory of a process and its descendants, in KiB. Linux only. */
export async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const ofChildren = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(residentMemory));
  const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return ofChildren.reduce((sum, memory) => sum + memory, own);
}
