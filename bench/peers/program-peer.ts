import type { WorkName } from './programs/serve.ts';
import type { Peer } from './peer.ts';

interface Served {
  readonly url: string;
  readonly processes: readonly number[];
}

/** A peer whose program serves the rows by HTTP. */
export function programPeer(name: string, { url, processes }: Served): Peer {
  let asked = 0;
  const request = async (work: WorkName, given: number | string): Promise<void> => {
    const response = await fetch(`${url}/${work}/${given}`);
    if (!response.ok) throw new Error(`${name} answers ${response.status} to ${work}`);
    await response.arrayBuffer();
  };
  return {
    name,
    processes,
    toolSteps: async (steps) => await request('toolSteps', steps),
    fanOut: async (calls) => await request('fanOut', calls),
    pureSteps: async (steps) => await request('pureSteps', steps),
    async ask() {
      const id = `asked-${asked++}`;
      await request('ask', id);
      return { decide: async () => await request('decide', id), ended: async () => await request('ended', id) };
    },
  };
}
