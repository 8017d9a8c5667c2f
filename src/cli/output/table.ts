import { abbreviate, escapeInvisible } from '../../graph/values/index.ts';
import type { Client, Run } from '../../client/index.ts';
import { waitingLines } from '../../wording/index.ts';

const MAX_CELL = 60;

/** Lays rows out in columns below their heads. Long cells are cut. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = [heads, ...rows.map((row) => row.map(toCell))];
  const widths = heads.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${shown.map(toLine).join('\n')}\n`;
}

function toCell(text: string): string {
  return escapeInvisible(abbreviate(text, MAX_CELL).replaceAll('\n', ' '));
}

/** Runs may wait for hundreds of people. */
const MAX_LINES = 20;

/** Says what a run waits for, each with the command that lets the run go on. An approval that can't be read now is only named. */
export async function nextSteps({ approvals }: Client, { id: runId, waitingFor }: Run): Promise<readonly string[]> {
  const lines = waitingFor.slice(0, MAX_LINES).map(async (waiting) => {
    const approvalId = waiting.kind === 'approval' ? waiting.id : undefined;
    const approval = approvalId === undefined ? null : await approvals.get(approvalId).catch(() => null);
    return waitingLines(runId, waiting, approval);
  });
  const others = waitingFor.length - lines.length;
  return [...(await Promise.all(lines)).flat(), ...(others > 0 ? [`and for ${others} others`] : [])];
}
