import type { CatalogDefaults, ToolEntry } from '../../definition/catalog.ts';
import { toMs } from '../../values/duration.ts';
import type { Json } from '../../values/json.ts';
import type { Question } from '../behavior.ts';

/** The call that people are asked about. */
export interface AskedCall {
  readonly tool: string;
  readonly args: Json;
  /** The origin of the call, such as "Node pay calls it". */
  readonly because: string;
}

/** Asks if a tool may be called. */
export function toolQuestion(
  { tool, args, because }: AskedCall,
  entry: ToolEntry,
  { approvalTimeout }: Pick<CatalogDefaults, 'approvalTimeout'>,
): Question {
  return {
    title: `Call ${tool}`,
    details: { tool, description: entry.description, effect: entry.effect, because },
    args,
    argsSchema: entry.parameters,
    decisionSchema: null,
    policy: {},
    tool,
    timeoutMs: toMs(approvalTimeout),
  };
}
