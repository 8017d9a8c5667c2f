import { CALL_SAFETIES } from '../graph/definition/index.ts';
import type { CallSafety, ToolEntry } from '../graph/definition/index.ts';
import { parseExpression } from '../graph/expression/index.ts';
import type { Json } from '../graph/values/index.ts';

/** The stricter of the safety that a run has pinned and the one that the worker's configuration has now. */
export function stricterSafety(pinned: CallSafety, live: CallSafety = pinned): CallSafety {
  return CALL_SAFETIES.indexOf(live) > CALL_SAFETIES.indexOf(pinned) ? live : pinned;
}

/** Compiles a tool's own approval rule. A condition that can't be evaluated, or is not false, asks for an approval. */
export function compileApprovalRule({ approval = 'never' }: ToolEntry): (args: Json) => boolean {
  if (typeof approval === 'string') return () => approval === 'always';
  if (approval.when === undefined) return () => true;
  const condition = parseExpression(approval.when, ['args']);
  return (args) => {
    try {
      return condition.evaluate({ args }) !== false;
    } catch {
      return true;
    }
  };
}
