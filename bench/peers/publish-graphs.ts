import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { ApiClient } from '../../test/support/readers/api-client.ts';

/** Publishes graphs. @throws Error when Holdfast refuses one */
export async function publishGraphs(user: ApiClient, graphs: readonly GraphDefinition[]): Promise<void> {
  for (const graph of graphs) {
    const { status, body } = await user.post('/api/graphs', graph);
    if (status !== 201) throw new Error(`${graph.name} is not published: ${JSON.stringify(body)}`);
  }
}
