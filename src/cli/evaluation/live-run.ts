import type { Client } from '../../client/index.ts';
import type { GraphDefinition } from '../../graph/definition/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { ObservedRun } from '../../testing/evaluation/index.ts';

/** A run to start on a server. */
export interface LiveStart {
  readonly graph: GraphDefinition;
  readonly input: JsonObject;
}

/** Runs a graph on a server, until it ends or waits for somebody. @throws HoldfastError */
export async function runLive({ runs }: Client, start: LiveStart): Promise<ObservedRun> {
  const { id } = await runs.start(start);
  const path: string[] = [];
  const tools: string[] = [];
  const events = runs.follow(id, { until: 'rest' });
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) {
      const { status, output, error, usage } = value;
      const { values: state } = await runs.state(id);
      const told = error && `${error.code} ${error.message}`;
      return { status, path, tools, state, output, costUsd: usage.costUsd, error: told };
    }
    if (value.type === 'node.started') path.push([...(value.path ?? []), value.node].join('/'));
    if (value.type === 'tool.called') tools.push(value.tool);
  }
}
