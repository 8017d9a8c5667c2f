import { MAX_MESSAGE, truncate } from '../../graph/values/index.ts';
import type { RunError } from '../../graph/values/index.ts';
import type { CallError } from './call-error.ts';
import { userStackOf } from './user-stack.ts';
import type { UserStack } from './user-stack.ts';

/**
 * Returns why a call has failed, and where configured code has thrown.
 * @param code by default the callee's own name of the failure, or the name of what the code has thrown
 */
export function causeOf(error: CallError, code?: string): Pick<RunError, 'cause'> {
  const stack = stackOf(error);
  const name = code ?? error.reason ?? stack?.name;
  if (name === undefined) return {};
  return {
    cause: { code: name, message: truncate(error.message, MAX_MESSAGE), ...(stack && { stack: stack.frames }) },
  };
}

/** Finds where configured code has thrown. For an error that such code has classified itself, that is its own stack. */
export function stackOf(error: CallError): UserStack | null {
  return error.thrownAt ?? userStackOf(error);
}
