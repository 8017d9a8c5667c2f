import type { ApprovalRule, ApprovalTerms, CatalogDefaults, ToolEntry } from '../../definition/catalog.ts';
import { toMs } from '../../values/duration.ts';
import type { Json } from '../../values/json.ts';
import type { Question } from '../behavior.ts';
import type { CallableGraph } from '../node-settings.ts';

/** The call that people are asked about. */
export interface AskedCall {
  readonly tool: string;
  readonly args: Json;
  /** The origin of the call, such as "Node pay calls it". */
  readonly because: string;
  /** The namespace of a tool of memory. */
  readonly memory?: string | undefined;
  /** The graph that runs as the call. */
  readonly graph?: CallableGraph | undefined;
}

/** Asks if a tool may be called, on the terms of the tool. */
export function toolQuestion(
  { tool, args, because, memory, graph }: AskedCall,
  entry: ToolEntry,
  { approvalTimeout }: Pick<CatalogDefaults, 'approvalTimeout'>,
): Question {
  const { policy = {}, timeout = approvalTimeout } = termsOf(entry.approval);
  return {
    title: `Call ${tool}`,
    details: {
      tool,
      ...(memory !== undefined && { memory }),
      description: entry.description,
      ...(graph ? { graph: graph.reference } : { effect: entry.effect }),
      because,
    },
    args,
    argsSchema: entry.takes ?? entry.parameters,
    decisionSchema: null,
    policy,
    tool,
    timeoutMs: toMs(timeout),
  };
}

function termsOf(rule: ApprovalRule | undefined): ApprovalTerms {
  return typeof rule === 'object' ? rule : {};
}
