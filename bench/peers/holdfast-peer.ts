import type { JsonObject } from '../../src/graph/values/json.ts';
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

/** Long enough for a busy machine. */
const ENDS_WITHIN_MS = 600_000;

/** Holdfast by its HTTP API, with requests that wait for their results. */
export function holdfastPeer({ name, processes, user, approver, tool }: HoldfastPeer): Peer {
  const startRun = async (graph: string, input: JsonObject, status = 'completed'): Promise<string> => {
    const { body } = await user.post('/api/runs', { graph, input }, { prefer: 'wait=60' });
    const id = textAt(body, '/id');
    if (textAt(body, '/status') !== status) await until(id, status);
    return id;
  };
  const until = async (id: string, status: string): Promise<void> =>
    void (await user.untilRun(id, (run) => textAt(run, '/status') === status, ENDS_WITHIN_MS));
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
        ended: async () => await until(id, 'completed'),
      };
    },
  };
}
