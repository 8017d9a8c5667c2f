import { abbreviate, escapeInvisible } from '../../graph/values/index.ts';
import type { Client, Run } from '../../client/index.ts';
import { waitingLines } from '../../wording/index.ts';

const MAX_CELL = 60;

/** Formats rows as columns with headings. Long cells are truncated. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows.map((row) => row.map(toCell))];
  const widths = heads.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${lines.map(toLine).join('\n')}\n`;
}

function toCell(text: string): string {
  return escapeInvisible(abbreviate(text, MAX_CELL).replaceAll('\n', ' '));
}

/** A run may wait for hundreds of approvals. */
const MAX_LINES = 20;

/**
 * Formats what a run waits for, with the command that continues it. Of an approval that can't be read, only the id is
 * given.
 */
export async function nextSteps({ approvals }: Client, { id: runId, waitingFor }: Run): Promise<readonly string[]> {
  const lines = waitingFor.slice(0, MAX_LINES).map(async (waiting) => {
    const approvalId = waiting.kind === 'approval' ? waiting.id : undefined;
    const approval = approvalId === undefined ? null : await approvals.get(approvalId).catch(() => null);
    return waitingLines(runId, waiting, approval);
  });
  const others = waitingFor.length - lines.length;
  return [...(await Promise.all(lines)).flat(), ...(others > 0 ? [`and for ${others} others`] : [])];
}
