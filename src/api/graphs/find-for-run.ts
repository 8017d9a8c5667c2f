import { createHash } from 'node:crypto';
import type { GraphAlias } from '../../store/graph-versions/graph-aliases.ts';
import type { PublishedGraph } from '../../store/graphs.ts';
import { findPublished } from './find-published.ts';
import type { TenantStore } from './find-published.ts';
import { missingGraph } from './missing-graph.ts';

/** An alias begins with a letter, so that no version is one. */
const REFERENCE = /^(?<name>[^@]+)(?:@(?:(?<version>[1-9]\d{0,8})|(?<alias>[A-Za-z][A-Za-z0-9_-]{0,62})))?$/;

/**
 * Finds the published version that a new run uses.
 * @param reference `name`, `name@version` or `name@alias`
 * @param runId chooses between the versions of an alias with a canary: the same id gives the same one
 * @throws ApiError 404 when there is none
 */
export async function findForRun(reference: string, tenant: TenantStore, runId: string): Promise<PublishedGraph> {
  const { name, version, alias } = REFERENCE.exec(reference)?.groups ?? {};
  if (name === undefined) return await refuse(tenant, reference);
  if (alias !== undefined) return await findByAlias({ reference, name, alias }, tenant, runId);
  const found = await findPublished(tenant, name, version === undefined ? undefined : Number(version));
  return found ?? (await refuse(tenant, reference));
}

/** Finds all published versions that a new run may use: of an alias with a canary, these are two. */
export async function findAllForRun(reference: string, tenant: TenantStore): Promise<readonly PublishedGraph[]> {
  const { name, version, alias } = REFERENCE.exec(reference)?.groups ?? {};
  if (name === undefined) return [];
  const versions =
    alias === undefined
      ? [version === undefined ? undefined : Number(version)]
      : versionsOf(await tenant.store.graphAliases.find({ tenantId: tenant.tenantId, name, alias }));
  const found = await Promise.all(versions.map(async (one) => await findPublished(tenant, name, one)));
  return found.filter((graph) => graph !== null);
}

function versionsOf(alias: GraphAlias | null): readonly number[] {
  return alias ? [alias.version, ...(alias.canary ? [alias.canary.version] : [])] : [];
}

interface AliasInUse {
  readonly reference: string;
  readonly name: string;
  readonly alias: string;
}

/** An unpublished canary gets no runs; the version of the alias gets them all. */
async function findByAlias(
  { reference, name, alias: wanted }: AliasInUse,
  tenant: TenantStore,
  runId: string,
): Promise<PublishedGraph> {
  const { store, tenantId } = tenant;
  const alias = await store.graphAliases.find({ tenantId, name, alias: wanted });
  if (!alias) return await refuse(tenant, reference);
  const canary =
    alias.canary && isCanary(alias, runId) ? await findPublished(tenant, name, alias.canary.version) : null;
  return canary ?? (await findPublished(tenant, name, alias.version)) ?? (await refuse(tenant, reference));
}

/** Chooses by a hash of the run's id, so that a part of all runs near `share` gets the canary. */
export function isCanary(
  { name, alias, canary }: Pick<GraphAlias, 'name' | 'alias' | 'canary'>,
  runId: string,
): boolean {
  if (!canary) return false;
  const hash = createHash('sha256')
    .update(JSON.stringify([name, alias, runId]))
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32 < canary.share;
}

async function refuse(tenant: TenantStore, reference: string): Promise<never> {
  throw await missingGraph(tenant, reference, 'UNKNOWN_GRAPH');
}
