import type { Json } from '../values/json.ts';

/**
 * A name that an expression may use; each field of a definition, or of a hook, allows some
 * (docs/reference/expressions.md).
 */
export type ExpressionName =
  | 'state'
  | 'run'
  | 'item'
  | 'index'
  | 'args'
  | 'result'
  | 'error'
  | 'current'
  | 'update'
  | 'body'
  | 'headers';

/** The values of the names in scope. */
export type Bindings = Readonly<Partial<Record<ExpressionName, Json>>>;

/** The names that all expressions of nodes and edges may use. */
export const NODE_NAMES: readonly ExpressionName[] = ['state', 'run', 'item', 'index'];

/** The names that templates over the result of a node may use. */
export const RESULT_NAMES: readonly ExpressionName[] = [...NODE_NAMES, 'result'];

/** The names that templates over the error of a node may use. */
export const ERROR_NAMES: readonly ExpressionName[] = [...NODE_NAMES, 'error'];

/** The names that approval rules over the arguments of a call may use. */
export const RULE_NAMES: readonly ExpressionName[] = [...NODE_NAMES, 'args'];

/** The members of `run`. */
export const RUN_FIELDS: readonly string[] = ['id', 'threadId', 'tenantId', 'step', 'visit', 'graph', 'startedAt'];
