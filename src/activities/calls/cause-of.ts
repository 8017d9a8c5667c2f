import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { CallError } from './call-error.ts';
import { userStackOf } from './user-stack.ts';
import type { UserStack } from './user-stack.ts';

/**
 * Returns the cause of a call's failure, and where configured code threw it.
 * @param code by default the callee's own name of the failure, or the name of the thrown error
 */
export function causeOf(error: CallError, code?: string): Pick<RunError, 'cause'> {
  const stack = stackOf(error);
  const name = code ?? error.reason ?? stack?.name;
  if (name === undefined) return {};
  return {
    cause: { code: name, message: truncate(error.message, MAX_MESSAGE), ...(stack && { stack: stack.frames }) },
  };
}

/** Finds where configured code threw an error. For an error that the code classified itself, that is its own stack. */
export function stackOf(error: CallError): UserStack | null {
  return error.thrownAt ?? userStackOf(error);
}
