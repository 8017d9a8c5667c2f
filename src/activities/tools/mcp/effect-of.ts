import type { CallSafety } from '../../../graph/definition/index.ts';
import type { ListedTool } from './list-tools.ts';

/**
 * How often a tool may be called, as far as its server's hints are believed. Nobody proves a hint: that of a server
 * which is not trusted counts for nothing, and the tool is `unsafe` until the configuration says otherwise.
 */
export function effectOf({ annotations }: ListedTool, trusted: boolean): CallSafety {
  const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  return trusted && isRepeatable ? 'idempotent' : 'unsafe';
}
