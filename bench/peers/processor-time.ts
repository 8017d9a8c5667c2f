import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds that the processor has spent, by the name of the program: `node`, `temporal`, `postgres`. */
export type ProcessorTime = Readonly<Record<string, number>>;

/** Of Linux's clock that counts them. */
const MS_PER_TICK = 10;

interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly ms: number;
}

/** What some processes have used so far, with all that they have started, those that have ended included. Linux only. */
export async function processorTimeOf(processes: readonly number[]): Promise<ProcessorTime> {
  const all = await readAll();
  const times: Record<string, number> = {};
  for (const { program, ms } of familiesOf(all, new Set(processes))) times[program] = (times[program] ?? 0) + ms;
  return times;
}

/** What has been used between two looks. */
export function timeBetween(before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  return Object.fromEntries(Object.entries(after).map(([program, ms]) => [program, ms - (before[program] ?? 0)]));
}

function familiesOf(all: readonly ProcessStat[], wanted: ReadonlySet<number>): readonly ProcessStat[] {
  const more = all.filter(({ pid, parent }) => wanted.has(parent) && !wanted.has(pid)).map(({ pid }) => pid);
  if (more.length > 0) return familiesOf(all, new Set([...wanted, ...more]));
  return all.filter(({ pid }) => wanted.has(pid));
}

async function readAll(): Promise<readonly ProcessStat[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')));
  return stats.filter(Boolean).map(parse);
}

/** The program's name stands in parentheses, and may have some itself; the fields count from 3 after it. */
function parse(stat: string): ProcessStat {
  const [begin, end] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const fields = stat.slice(end + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  const ticks = [14, 15, 16, 17].reduce((sum, number) => sum + field(number), 0);
  return { pid: parseInt(stat, 10), parent: field(4), program: stat.slice(begin + 1, end), ms: ticks * MS_PER_TICK };
}
