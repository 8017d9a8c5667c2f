import pLimit from 'p-limit';
import { hideChannels } from '../../graph/redaction/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { redactedChannels, unknownNow } from '../graphs/redacted-channels.ts';
import type { Caller } from '../http/authenticate.ts';
import { seesAll } from '../redaction.ts';

/** An input that is kept for runs to come. */
interface KeptInput {
  /** `name`, `name@version` or `name@alias`. */
  readonly graph: string;
  readonly input: JsonObject;
  /** The channels that were redacted when it was written. */
  readonly redacted: readonly string[];
}

/** Hides what the graph of an input redacts now, and what it redacted before; all of it if the graph can't tell. */
type ShowInput = (kept: KeptInput) => JsonObject;

export type ShowInputDeps = Pick<ApiDeps, 'store' | 'catalog' | 'graphJobs'>;

const GRAPHS_AT_ONCE = 4;

/** Makes what shows a caller inputs for some graphs. */
export async function createShowInput(
  deps: ShowInputDeps,
  caller: Pick<Caller, 'tenantId' | 'permissions'>,
  graphs: readonly string[],
): Promise<ShowInput> {
  if (seesAll(caller)) return ({ input }) => input;
  const atOnce = pLimit(GRAPHS_AT_ONCE);
  const judge = async (graph: string) =>
    [graph, await atOnce(async () => await redactedChannels(deps, caller.tenantId, graph).catch(unknownNow))] as const;
  const redactedNow = new Map(await Promise.all([...new Set(graphs)].map(judge)));
  return ({ graph, input, redacted }) => {
    const now = redactedNow.get(graph) ?? Object.keys(input);
    return hideChannels(input, { channels: [...redacted, ...now] });
  };
}
