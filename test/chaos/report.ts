import type { InjectedFault } from './faults.ts';
import type { ChaosReport } from './play-chaos.ts';

export function describeFault({ atMs, victim, faultKind, lastsMs }: InjectedFault): string {
  const howLong = faultKind === 'restarted' ? '' : ` for ${seconds(lastsMs)}`;
  return `${seconds(atMs).padStart(8)}  ${victim} ${faultKind}${howLong}`;
}

/** Formats the faults, the findings, and a final line with the result. */
export function describeReport(report: ChaosReport): readonly string[] {
  const { injected, ownEnds, calls, answers, actions, queries, continued, replays, verdicts } = report;
  const failed = verdicts.filter(({ findings }) => findings.length > 0);
  return [
    '',
    ...tally(injected),
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
function tally(injected: readonly InjectedFault[]): readonly string[] {
  const faultKinds = ['killed', 'stopped', 'restarted'] as const;
  const victims = [...new Set(injected.map(({ victim }) => victim))].toSorted();
  return victims.map((name) => {
    const own = injected.filter(({ victim }) => victim === name);
    const counts = faultKinds.map(
      (wanted) => `${own.filter(({ faultKind }) => faultKind === wanted).length} ${wanted}`,
    );
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
