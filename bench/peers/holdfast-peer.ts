import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import type { ApiClient } from '../../test/support/readers/api-client.ts';
import { textAt } from '../../test/support/readers/json-at.ts';
import { graphName } from './holdfast-graphs.ts';
import type { Peer } from './peer.ts';

interface HoldfastPeer extends Pick<Peer, 'name' | 'processes'> {
  readonly user: ApiClient;
  readonly approver: ApiClient;
  /** The tool that the graphs call. */
  readonly tool: string;
}

/** Holdfast by its HTTP API, whose requests wait for what they ask for. */
export function holdfastPeer({ name, processes, user, approver, tool }: HoldfastPeer): Peer {
  const startRun = async (graph: string, input: JsonObject, status = 'completed'): Promise<string> => {
    const { body } = await user.post('/api/runs', { graph, input }, { prefer: 'wait=60' });
    expect(body, status);
    return textAt(body, '/id');
  };
  return {
    name,
    processes,
    toolSteps: async (steps) => void (await startRun(graphName('tool-steps', tool), { wanted: steps })),
    fanOut: async (calls) =>
      void (await startRun(graphName('fan-out', tool), { items: Array.from({ length: calls }, (_, at) => at) })),
    pureSteps: async (steps) => void (await startRun('pure-steps', { wanted: steps })),
    async ask() {
      const id = await startRun(graphName('asking', tool), {}, 'waiting');
      return {
        decide: async () => void (await approver.post(`/api/runs/${id}/approve`, {})),
        ended: async () => void (await user.untilRun(id, (run) => textAt(run, '/status') === 'completed')),
      };
    },
  };
}

/** @throws when a run is not as wanted */
function expect(run: Json, status: string): void {
  const isAsWanted = run !== null && typeof run === 'object' && 'status' in run && run['status'] === status;
  if (!isAsWanted) throw new Error(`A run is not ${status}: ${JSON.stringify(run)}`);
}
