import type { Harm } from './faults.ts';
import type { ChaosReport } from './play-chaos.ts';

export function describeHarm({ atMs, victim, manner, lastsMs }: Harm): string {
  const howLong = manner === 'restarted' ? '' : ` for ${seconds(lastsMs)}`;
  return `${seconds(atMs).padStart(8)}  ${victim} ${manner}${howLong}`;
}

/** Formats the faults, the findings, and a final line with the result. */
export function describeReport(report: ChaosReport): readonly string[] {
  const { harm, ownEnds, calls, answers, actions, queries, continued, replays, verdicts } = report;
  const failed = verdicts.filter(({ findings }) => findings.length > 0);
  return [
    '',
    ...tally(harm),
    `ended by themselves and started again: ${ownEnds}`,
    `calls of the third party: ${calls}`,
    `answers of the API: ${list(answers)}`,
    `done by people: ${list(actions)}`,
    `queries by Temporal's tools: ${queries}`,
    `runs that went on as new executions: ${continued}`,
    `histories replayed: ${replays.replayed}, by workflow code ${replays.bundle}`,
    '',
    ...failed.flatMap(({ about, findings }) => [about, ...findings.map((finding) => `  ${finding}`)]),
    `${verdicts.length - failed.length} passed, ${failed.length} failed`,
  ];
}

/** The number of kills, suspensions and restarts of each process. */
function tally(harm: readonly Harm[]): readonly string[] {
  const manners = ['killed', 'stopped', 'restarted'] as const;
  const victims = [...new Set(harm.map(({ victim }) => victim))].toSorted();
  return victims.map((name) => {
    const own = harm.filter(({ victim }) => victim === name);
    const counts = manners.map((wanted) => `${own.filter(({ manner }) => manner === wanted).length} ${wanted}`);
    return `${name}: ${counts.join(', ')}`;
  });
}

function list(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  return sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
