import { patched } from '@temporalio/workflow';
import { INTERPRETER_VERSION } from '../graph/definition/index.ts';
import type { WorkflowInput } from './contract.ts';

/**
 * Which interpreter an execution is under: the newest that the code knew which began it. A marker in the history says so
 * where that is a newer one than its input names, so code to come will find the same.
 * @param latest the newest that this code knows
 * @throws when the input names a newer one: the workflow task fails, and waits for a worker that knows it
 */
export function interpreterVersionOf(
  { interpreterVersion: named }: Pick<WorkflowInput, 'interpreterVersion'>,
  latest: number = INTERPRETER_VERSION,
): number {
  if (named > latest) throw new Error(`This run needs interpreter ${named}; this worker knows those up to ${latest}`);
  for (let version = latest; version > named; version--) if (patched(`interpreter-${version}`)) return version;
  return named;
}
