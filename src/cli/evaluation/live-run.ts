import { z } from 'zod';
import { toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { ObservedRun } from '../../testing/evaluation/index.ts';
import type { ApiClient } from '../api-client.ts';
import { describeRefusal } from '../api-client.ts';
import { RefusedError } from '../command.ts';
import { followRun, toRun } from '../follow-run.ts';

/** A run to start on a server. */
export interface LiveStart {
  readonly graph: Json;
  readonly input: JsonObject;
}

/** Runs a graph on a server, until it ends or waits for somebody. @throws RefusedError */
export async function runLive(client: ApiClient, { graph, input }: LiveStart): Promise<ObservedRun> {
  const answer = await client.post('/api/runs', { graph, input });
  if (answer.status !== 201) throw new RefusedError(describeRefusal(answer));
  const { id } = toRun(answer.body);
  const path: string[] = [];
  const tools: string[] = [];
  const run = await followRun(client, id, {
    until: null,
    onEvent(event) {
      const { type, node, tool, path: around } = Told.parse(event);
      if (type === 'node.started') path.push([...around, node].join('/'));
      if (type === 'tool.called') tools.push(tool);
    },
  });
  const { values } = State.parse(await client.get(`/api/runs/${id}/state`));
  const { costUsd } = Spent.parse(run).usage;
  const { status, output, error } = run;
  const state = z.record(z.string(), z.json()).parse(toJson(values));
  return { status, path, tools, state, output, costUsd, error: error && `${error.code} ${error.message}` };
}

const Told = z.looseObject({
  type: z.string(),
  node: z.string().default(''),
  tool: z.string().default(''),
  path: z.array(z.string()).default([]),
});
const State = z.looseObject({ values: z.json() });
const Spent = z.looseObject({ usage: z.looseObject({ costUsd: z.number() }) });
