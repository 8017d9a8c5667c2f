import type { z } from 'zod';
import type {
  Graph,
  GraphSummary,
  GraphTest,
  PageRequest,
  TestedGraph,
  Validation,
  GraphAlias,
  GraphDiff,
  Tool,
} from './answers.ts';
import { createListing, toPath } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';
import type { NewAliasSchema } from '../api/schemas/graph-version.ts';

export interface DiagramOptions extends CallOptions {
  readonly format?: 'mermaid' | 'plantuml';
  /** The id of a run: its version is drawn, with visited nodes marked. */
  readonly run?: string;
}

/** Published graphs. A definition is JSON, or an object with `toJSON`. */
export interface Graphs extends GraphVersions {
  /** Publishes a definition. Equal content keeps its version. */
  publish(definition: object, options?: CallOptions): Promise<Graph>;
  /** Returns every issue of a definition. */
  validate(definition: object, options?: CallOptions): Promise<Validation>;
  /** Lists the newest published version of each graph, by name. */
  list(page?: PageRequest, options?: CallOptions): Listing<GraphSummary>;
  /** @param version the newest by default */
  get(name: string, version?: number, options?: CallOptions): Promise<Graph>;
  /**
   * Runs a published graph with the given outputs of its nodes; nothing is called.
   * @param reference `name`, `name@version` or `name@alias`
   */
  test(reference: string, test: GraphTest, options?: CallOptions): Promise<TestedGraph>;
  /** Returns the text of a diagram, for Mermaid by default. */
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
      const newest = toPath`/api/graphs/${name}`;
      const at = version === undefined ? newest : `${newest}${toPath`/versions/${version}`}`;
      return await send.json({ method: 'GET', path: at }, options);
    },
    test: async (reference, body, options) =>
      await send.json({ method: 'POST', path: toPath`/api/graphs/${reference}/test`, body }, options),
    async diagram(name, { format, run, ...options } = {}) {
      const request = { method: 'GET', path: toPath`/api/graphs/${name}/diagram`, query: { format, run } } as const;
      return (await send.response(request, options)).text;
    },
  };
}

export type NewAlias = z.input<typeof NewAliasSchema> & Pick<GraphAlias, 'alias'>;

/** The version before a change and the one after it. */
export type ComparedVersions = Pick<GraphDiff, 'from' | 'to'>;

/** The versions of a graph and its aliases. */
export interface GraphVersions {
  /** Lists the versions, newest first, unpublished ones included. */
  versions(name: string, page?: PageRequest, options?: CallOptions): Listing<GraphSummary>;
  /** Compares two versions. */
  diff(name: string, versions: ComparedVersions, options?: CallOptions): Promise<GraphDiff>;
  /** Unpublishes a version: new runs can't use it. Publishing the same content restores it. */
  unpublish(name: string, version: number, options?: CallOptions): Promise<void>;
  /** Lists the aliases by name. */
  aliases(name: string, page?: PageRequest, options?: CallOptions): Listing<GraphAlias>;
  alias(name: string, alias: string, options?: CallOptions): Promise<GraphAlias>;
  /** Sets an alias; runs of `name@alias` use its version. */
  setAlias(name: string, alias: NewAlias, options?: CallOptions): Promise<GraphAlias>;
  removeAlias(name: string, alias: string, options?: CallOptions): Promise<void>;
}

function createGraphVersions({ send }: Connection): GraphVersions {
  const remove = async (at: string, options?: CallOptions): Promise<void> =>
    void (await send.response({ method: 'DELETE', path: at }, options));
  return {
    versions: (name, page, options) =>
      createListing(send, { path: toPath`/api/graphs/${name}/versions`, query: { ...page } }, options),
    diff: async (name, { from, to }, options) =>
      await send.json({ method: 'GET', path: toPath`/api/graphs/${name}/diff`, query: { from, to } }, options),
    unpublish: async (name, version, options) => await remove(toPath`/api/graphs/${name}/versions/${version}`, options),
    aliases: (name, page, options) =>
      createListing(send, { path: toPath`/api/graphs/${name}/aliases`, query: { ...page } }, options),
    alias: async (name, alias, options) =>
      await send.json({ method: 'GET', path: toPath`/api/graphs/${name}/aliases/${alias}` }, options),
    setAlias: async (name, { alias, ...body }, options) =>
      await send.json({ method: 'PUT', path: toPath`/api/graphs/${name}/aliases/${alias}`, body }, options),
    removeAlias: async (name, alias, options) => await remove(toPath`/api/graphs/${name}/aliases/${alias}`, options),
  };
}

/** The tools of the installation. */
export interface Tools {
  list(page?: PageRequest, options?: CallOptions): Listing<Tool>;
}

export function createTools({ send }: Connection): Tools {
  return { list: (page, options) => createListing(send, { path: '/api/tools', query: { ...page } }, options) };
}
