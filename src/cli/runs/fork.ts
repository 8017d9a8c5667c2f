import type { Client, Fork, Run } from '../../client/index.ts';
import { openClient } from '../input/api-access.ts';
import { readGraph } from '../input/read-graph.ts';
import { RefusedError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { CONTROL_FLAGS, OF_RUN, reportRun, VALUES_FLAG, valuesOf } from './control.ts';

export const fork = defineCommand({
  ...OF_RUN,
  name: 'fork',
  summary: 'begin a new run where another one stood',
  about: `Begins a new run with the state of another one at a checkpoint, which "holdfast checkpoints" lists. The other one
    stays as it is. What follows the checkpoint is done again, under keys of the new run.`,
  flags: {
    checkpoint: text('ID', 'where it begins (default: the last checkpoint)'),
    values: VALUES_FLAG,
    'as-node': text('NODE', 'goes on as if this node had written the values'),
    graph: text('GRAPH', 'another graph, as NAME, NAME@VERSION or @FILE'),
    ...CONTROL_FLAGS,
  },
  exits: { ...OF_RUN.exits, 0: 'forked' },
  async action({ values, given: id }, terminal) {
    const { graph, 'as-node': asNode } = values;
    const changes = {
      ...(await valuesOf(values)),
      ...(asNode !== undefined && { asNode }),
      ...(graph !== undefined && { graph: await toGraph(graph) }),
    };
    const client = await openClient(values, terminal);
    const checkpoint = values.checkpoint ?? (await lastCheckpoint(client, id));
    const run: Run = await client.runs.fork(id, { checkpoint, ...changes });
    terminal.stderr.write(`forked from ${checkpoint}\n`);
    return await reportRun({ client, run }, values, terminal);
  },
});

async function toGraph(graph: string): Promise<NonNullable<Fork['graph']>> {
  return graph.startsWith('@') ? await readGraph(graph.slice(1)) : graph;
}

async function lastCheckpoint({ runs }: Client, id: string): Promise<string> {
  for await (const checkpoint of runs.checkpoints(id, { limit: 1 })) return checkpoint.id;
  throw new RefusedError(`${id} has no checkpoint yet`);
}
