import type { Client, Run } from '../../client/index.ts';
import { waitingInWords } from '../../graph/wording/index.ts';

/** Runs may wait for hundreds of people. */
const MAX_LINES = 20;

/** Lines that tell whom a run waits for, each with the command that lets it go on; without an approval that can't be read now. */
export async function waysOn({ approvals }: Client, { id: runId, waitingFor }: Run): Promise<readonly string[]> {
  const lines = waitingFor.slice(0, MAX_LINES).map(async (waiting) => {
    const approval =
      waiting.kind === 'approval' && waiting.id !== undefined
        ? await approvals.get(waiting.id).catch(() => null)
        : null;
    const { text, command } = waitingInWords(runId, waiting, approval);
    return command === null ? [text] : [text, `  npx ${command}`];
  });
  const others = waitingFor.length - lines.length;
  return [...(await Promise.all(lines)).flat(), ...(others > 0 ? [`and for ${others} others`] : [])];
}
