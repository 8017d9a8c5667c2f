import type { z } from 'zod';
import type { NewAliasSchema } from '../../api/schemas/graph-version.ts';
import type { GraphAlias, GraphDiff, GraphSummary, PageRequest } from '../answers.ts';
import type { Connection } from '../connection.ts';
import { createListing } from '../listing.ts';
import type { Listing } from '../listing.ts';
import { path } from '../path.ts';
import type { CallOptions } from '../send.ts';

export type NewAlias = z.input<typeof NewAliasSchema> & Pick<GraphAlias, 'alias'>;

/** The versions of a graph, and the names for them. */
export interface GraphVersions {
  /** The newest first, unpublished ones too. */
  versions(name: string, page?: PageRequest, options?: CallOptions): Listing<GraphSummary>;
  /** What has changed from one version to the other. */
  diff(
    name: string,
    versions: { readonly from: number; readonly to: number },
    options?: CallOptions,
  ): Promise<GraphDiff>;
  /** Takes a version back: no new run may name it. Publishing the same content brings it back. */
  unpublish(name: string, version: number, options?: CallOptions): Promise<void>;
  /** By name. */
  aliases(name: string, page?: PageRequest, options?: CallOptions): Listing<GraphAlias>;
  alias(name: string, alias: string, options?: CallOptions): Promise<GraphAlias>;
  /** Names a version; runs of `name@alias` use it. */
  setAlias(name: string, alias: NewAlias, options?: CallOptions): Promise<GraphAlias>;
  removeAlias(name: string, alias: string, options?: CallOptions): Promise<void>;
}

export function createGraphVersions({ send }: Connection): GraphVersions {
  const remove = async (at: string, options?: CallOptions): Promise<void> =>
    void (await send.heard({ method: 'DELETE', path: at }, options));
  return {
    versions: (name, page, options) =>
      createListing(send, { path: path`/api/graphs/${name}/versions`, query: { ...page } }, options),
    diff: async (name, { from, to }, options) =>
      await send.json({ method: 'GET', path: path`/api/graphs/${name}/diff`, query: { from, to } }, options),
    unpublish: async (name, version, options) => await remove(path`/api/graphs/${name}/versions/${version}`, options),
    aliases: (name, page, options) =>
      createListing(send, { path: path`/api/graphs/${name}/aliases`, query: { ...page } }, options),
    alias: async (name, alias, options) =>
      await send.json({ method: 'GET', path: path`/api/graphs/${name}/aliases/${alias}` }, options),
    setAlias: async (name, { alias, ...body }, options) =>
      await send.json({ method: 'PUT', path: path`/api/graphs/${name}/aliases/${alias}`, body }, options),
    removeAlias: async (name, alias, options) => await remove(path`/api/graphs/${name}/aliases/${alias}`, options),
  };
}
