import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds of processor time, by the name of the program: `node`, `temporal`, `postgres`. */
export type ProcessorTime = Readonly<Record<string, number>>;

/** Milliseconds per clock tick of Linux. */
const MS_PER_TICK = 10;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly ms: number;
}

/** The processor time of some processes and their descendants so far, including ended ones. Linux only. */
export async function processorTimeOf(processes: readonly number[]): Promise<ProcessorTime> {
  const all = await readAll();
  const times: Record<string, number> = {};
  for (const { program, ms } of familiesOf(all, new Set(processes))) times[program] = (times[program] ?? 0) + ms;
  return times;
}

/** The processor time between two measurements. */
export function timeBetween(before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  return Object.fromEntries(Object.entries(after).map(([program, ms]) => [program, ms - (before[program] ?? 0)]));
}

function familiesOf(all: readonly ProcessStat[], included: ReadonlySet<number>): readonly ProcessStat[] {
  const more = all.filter(({ pid, parent }) => included.has(parent) && !included.has(pid)).map(({ pid }) => pid);
  if (more.length > 0) return familiesOf(all, new Set([...included, ...more]));
  return all.filter(({ pid }) => included.has(pid));
}

async function readAll(): Promise<readonly ProcessStat[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')));
  return stats.filter(Boolean).map(parse);
}

/** The program's name is in parentheses, and may contain parentheses itself; the fields after it count from 3. */
function parse(stat: string): ProcessStat {
  const [begin, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat.slice(end + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const ticks = [14, 15, 16, 17].reduce((sum, number) => sum + field(number), 0);
  return { pid: parseInt(stat, 10), parent: field(4), program: stat.slice(begin + 1, end), ms: ticks * MS_PER_TICK };
}
