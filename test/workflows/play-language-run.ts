import { toJson } from '../../src/graph/json.ts';
import type { Json } from '../../src/graph/json.ts';
import type { Client } from '../../src/dev/demo/client.ts';
import { at, listAt, textAt } from '../support/json-at.ts';
import type { LanguageRun, LanguageStep } from './language-runs.ts';

/** Plays a run to its end. @returns its id */
export async function playLanguageRun(client: Client, { graph, input, steps }: LanguageRun): Promise<string> {
  const id = textAt(await client.post('/api/runs', toJson({ graph, input })), '/id');
  for (const step of steps) await play(client, id, step);
  await until(client, id, (run) => at(run, '/endedAt') !== null);
  return id;
}

async function play(client: Client, id: string, { when, control, body, forEachApproval }: LanguageStep): Promise<void> {
  const path = `/api/runs/${id}/${control}`;
  const run = await until(client, id, (now) => at(now, '/status') === when && (!forEachApproval || isAsking(now)));
  if (!forEachApproval) return void (await client.post(path, body));
  for (const waiting of listAt(run, '/waitingFor').filter((one) => at(one, '/kind') === 'approval'))
    await client.post(path, { approvalId: textAt(waiting, '/id') });
}

function isAsking(run: Json): boolean {
  return listAt(run, '/waitingFor').some((one) => at(one, '/kind') === 'approval');
}

async function until(client: Client, id: string, isWanted: (run: Json) => boolean): Promise<Json> {
  for (;;) {
    const run = await client.get(`/api/runs/${id}`);
    if (isWanted(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
