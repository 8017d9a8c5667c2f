import pLimit from 'p-limit';
import { hideChannels } from '../../graph/redaction/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { redactedChannels, nullForApiError } from '../graphs/redacted-channels.ts';
import type { Caller } from '../http/authenticate.ts';
import { seesPayloads } from '../redaction.ts';

/** An input that is stored for future runs. */
interface StoredInput {
  /** `name`, `name@version` or `name@alias`. */
  readonly graph: string;
  readonly input: JsonObject;
  /** The channels that were redacted when the input was stored. */
  readonly redacted: readonly string[];
}

/**
 * Redacts an input by the current graph and by the redaction that was stored with it. If the graph can't be resolved,
 * the whole input is hidden.
 */
type RedactInput = (stored: StoredInput) => JsonObject;

export type RedactInputDeps = Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>;

const GRAPHS_AT_ONCE = 4;

/** Creates a function that redacts inputs of the given graphs for a caller. */
export async function createInputRedactor(
  deps: RedactInputDeps,
  caller: Pick<Caller, 'tenantId' | 'permissions'>,
  graphs: readonly string[],
): Promise<RedactInput> {
  if (seesPayloads(caller)) return ({ input }) => input;
  const atOnce = pLimit(GRAPHS_AT_ONCE);
  const judge = async (graph: string) =>
    [
      graph,
      await atOnce(async () => await redactedChannels(deps, caller.tenantId, graph).catch(nullForApiError)),
    ] as const;
  const redactedNow = new Map(await Promise.all([...new Set(graphs)].map(judge)));
  return ({ graph, input, redacted }) => {
    const now = redactedNow.get(graph) ?? Object.keys(input);
    return hideChannels(input, { channels: [...redacted, ...now] });
  };
}
