import { createGraphVersions } from './graph-versions.ts';
import type { GraphVersions } from './graph-versions.ts';
import type { Graph, GraphSummary, GraphTest, PageRequest, TestedGraph, Validation } from '../answers.ts';
import type { Connection } from '../connection.ts';
import { createListing } from '../listing.ts';
import type { Listing } from '../listing.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../send.ts';

export interface DiagramOptions extends CallOptions {
  readonly format?: 'mermaid' | 'plantuml';
  /** The id of a run: its version is drawn, with the nodes that it has visited. */
  readonly run?: string;
}

/** Published graphs. A definition is JSON, or anything whose `toJSON` gives it. */
export interface Graphs extends GraphVersions {
  /** Publishes a definition. The same content again is the same version. */
  publish(definition: object, options?: CallOptions): Promise<Graph>;
  /** Finds every issue of a definition. */
  validate(definition: object, options?: CallOptions): Promise<Validation>;
  /** The newest published version of each, by name. */
  list(page?: PageRequest, options?: CallOptions): Listing<GraphSummary>;
  /** @param version the newest by default */
  get(name: string, version?: number, options?: CallOptions): Promise<Graph>;
  /**
   * Plays a published graph with the outputs of its nodes; nothing is called.
   * @param reference `name`, `name@version` or `name@alias`
   */
  test(reference: string, test: GraphTest, options?: CallOptions): Promise<TestedGraph>;
  /** Gives the text of a drawing, for Mermaid by default. */
  diagram(name: string, options?: DiagramOptions): Promise<string>;
}

export function createGraphs(connection: Connection): Graphs {
  const { send } = connection;
  return {
    ...createGraphVersions(connection),
    publish: async (body, options) => await send.json({ method: 'POST', path: '/api/graphs', body }, options),
    validate: async (body, options) => await send.json({ method: 'POST', path: '/api/graphs/validate', body }, options),
    list: (page, options) => createListing(send, { path: '/api/graphs', query: { ...page } }, options),
    async get(name, version, options) {
      const newest = path`/api/graphs/${name}`;
      const at = version === undefined ? newest : `${newest}${path`/versions/${version}`}`;
      return await send.json({ method: 'GET', path: at }, options);
    },
    test: async (reference, body, options) =>
      await send.json({ method: 'POST', path: path`/api/graphs/${reference}/test`, body }, options),
    async diagram(name, { format, run, ...options } = {}) {
      const request = { method: 'GET', path: path`/api/graphs/${name}/diagram`, query: { format, run } } as const;
      return (await send.heard(request, options)).text;
    },
  };
}
