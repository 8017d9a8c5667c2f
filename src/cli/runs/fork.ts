import type { Fork } from '../../client/index.ts';
import { openClient } from '../input/api-access.ts';
import { readGraph } from '../input/read-graph.ts';
import { UsageError } from '../line/command.ts';
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
    checkpoint: text('ID', 'where it begins'),
    values: VALUES_FLAG,
    'as-node': text('NODE', 'goes on as if this node had written the values'),
    graph: text('GRAPH', 'another graph, as NAME, NAME@VERSION or @FILE'),
    ...CONTROL_FLAGS,
  },
  exits: { ...OF_RUN.exits, 0: 'forked' },
  async action({ values, given: id }, terminal) {
    const { checkpoint, graph, 'as-node': asNode } = values;
    if (checkpoint === undefined)
      throw new UsageError('Where does it begin? Give --checkpoint ID, as "holdfast checkpoints" lists them');
    const body = {
      checkpoint,
      ...(await valuesOf(values)),
      ...(asNode !== undefined && { asNode }),
      ...(graph !== undefined && { graph: await toGraph(graph) }),
    };
    const client = await openClient(values, terminal);
    const run = await client.runs.fork(id, body);
    return await reportRun({ client, run }, values, terminal);
  },
});

async function toGraph(graph: string): Promise<NonNullable<Fork['graph']>> {
  return graph.startsWith('@') ? await readGraph(graph.slice(1)) : graph;
}
