import { HoldfastError } from 'holdfast/client';
import type { CallOptions, Run } from 'holdfast/client';
import { isRefused } from '../../../api/errors.ts';
import { isMembers } from '../../../form/fields.ts';
import type { Definition } from '../../../graph/definition.ts';

/** The graph of a run. */
export interface RunGraph {
  readonly definition: Definition;
  /** The graphs that it refers to, as the run has pinned them; `null` if they are the published ones of the person's tenant. */
  readonly named: Readonly<Record<string, unknown>> | null;
}

type RunReference = Pick<Run, 'id' | 'graph'>;

interface Published {
  readonly hash: string;
  readonly definition: Definition;
}

/** The parts of the client that are used. */
interface Sources {
  readonly graphs: { readonly get: (name: string, version: number, options: CallOptions) => Promise<Published> };
  readonly runs: {
    readonly recording: (
      id: string,
      options: CallOptions,
    ) => Promise<{ readonly definition: Definition; readonly catalog: Definition }>;
  };
}

/**
 * Reads the graph of a run: the published one, or that of the recording if the graph is not published, was deleted, or belongs to
 * another tenant.
 * @throws HoldfastError 409 while the run is not finished, 403 if the person may not see payloads
 */
export async function readRunGraph(
  { graphs, runs }: Sources,
  { id, graph }: RunReference,
  signal: AbortSignal,
): Promise<RunGraph> {
  const published = await readPublished(graphs, graph, signal);
  if (published?.hash === graph.hash) return { definition: published.definition, named: null };
  const { definition, catalog } = await runs.recording(id, { signal });
  return { definition, named: isMembers(catalog['graphs']) ? catalog['graphs'] : {} };
}

/** True if an error means that the graph of a run is not available at present, which is expected. */
export function isUnavailable(error: unknown): boolean {
  return isRefused(error) || (error instanceof HoldfastError && error.code === 'NOT_ALLOWED_NOW');
}

async function readPublished(
  graphs: Sources['graphs'],
  { name, version }: RunReference['graph'],
  signal: AbortSignal,
): Promise<Published | null> {
  if (version === null) return null;
  try {
    return await graphs.get(name, version, { signal });
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  }
}
