import { patched } from '@temporalio/workflow';
import { INTERPRETER_VERSION } from '../graph/definition/index.ts';
import type { WorkflowInput } from './contract.ts';

/**
 * Chooses the interpreter of an execution: the newest that was known when the execution began. A marker in the history
 * records it if it is newer than the input requires, so later code makes the same choice.
 * @param latest the newest interpreter that this code knows
 * @throws if the input requires a newer one: the workflow task fails and waits for a worker that knows it
 */
export function interpreterVersionOf(
  { interpreterVersion: required }: Pick<WorkflowInput, 'interpreterVersion'>,
  latest: number = INTERPRETER_VERSION,
): number {
  if (required > latest)
    throw new Error(`This run needs interpreter ${required}; this worker knows those up to ${latest}`);
  for (let version = latest; version > required; version--) if (patched(`interpreter-${version}`)) return version;
  return required;
}
