import type { SchemaViolation } from '../../graph/json-schema.ts';
import { CallError } from '../call-error.ts';

/** Arguments that are not what a tool takes; it is not called. */
export function badArguments(tool: string, { path, message }: SchemaViolation): CallError {
  const text = `The arguments of ${tool} break its parameters at ${path || '/'}: ${message}`;
  return new CallError('INVALID_TOOL_ARGUMENTS', text, { retryable: false, done: 'no' });
}
