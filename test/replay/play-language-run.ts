import type { Client } from '../../src/dev/demo/ticket.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { hasState } from './has-state.ts';
import type { LanguageRun, LanguageStep } from './language-runs.ts';

/** Plays a run to its end. @returns its id */
export async function playLanguageRun(client: Client, { graph, input, steps }: LanguageRun): Promise<string> {
  const id = textAt(await client.post('/api/runs', toJson({ graph, input })), '/id');
  const decided = new Set<string>();
  for (const step of steps) {
    if (step.forEachApproval) await approveAll(client, { id, decided }, step);
    else await play(client, id, step);
  }
  await until(client, id, (run) => at(run, '/endedAt') !== null);
  return id;
}

async function play(client: Client, id: string, { when, control, body }: LanguageStep): Promise<void> {
  await until(client, id, (now) => hasState(now, when));
  await client.post(`/api/runs/${id}/${control}`, body);
}

/** What was decided a moment ago may still be shown as waiting. */
async function approveAll(
  client: Client,
  { id, decided }: { readonly id: string; readonly decided: Set<string> },
  { when, control }: LanguageStep,
): Promise<void> {
  const askedBy = (run: Json): readonly string[] =>
    listAt(run, '/waitingFor').flatMap((one) => (at(one, '/kind') === 'approval' ? textAt(one, '/id') : []));
  const undecided = (run: Json): readonly string[] => askedBy(run).filter((asked) => !decided.has(asked));
  const run = await until(client, id, (now) => hasState(now, when) && undecided(now).length > 0);
  for (const approvalId of undecided(run)) {
    decided.add(approvalId);
    await client.post(`/api/runs/${id}/${control}`, { approvalId });
  }
}

async function until(client: Client, id: string, isWanted: (run: Json) => boolean): Promise<Json> {
  for (;;) {
    const run = await client.get(`/api/runs/${id}`);
    if (isWanted(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
