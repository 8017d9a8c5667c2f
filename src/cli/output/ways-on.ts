import type { Client, Run } from '../../client/index.ts';
import { waitingInWords } from '../../graph/wording/index.ts';

/** Lines that tell whom a run waits for, each with the command that lets it go on. */
export async function waysOn({ approvals }: Client, { id: runId, waitingFor }: Run): Promise<readonly string[]> {
  const lines = waitingFor.map(async (waiting) => {
    const approval = waiting.kind === 'approval' && waiting.id !== undefined ? await approvals.get(waiting.id) : null;
    const { text, command } = waitingInWords(runId, waiting, approval);
    return command === null ? [text] : [text, `  npx ${command}`];
  });
  return (await Promise.all(lines)).flat();
}
