import type { BatchCall } from '../../run/tool-batch.ts';
import { canonicalJson } from '../../values/compare-json.ts';
import type { Json } from '../../values/json.ts';

/* Answers to a model about tool calls that did not run as requested. Each describes what happened. */

export function toolNotFound(name: string): string {
  return `Tool not found: ${name}`;
}

export function failureNote(message: string): string {
  return `Execution failed: ${message}`;
}

/** A call that a person has repeated may need an approval that it did not need before. */
export function rejectionNote(reason: string, { takeover }: Pick<BatchCall, 'takeover'>): string {
  const made = takeover === 0 ? 'made' : 'made again. Nobody knows if it was made before';
  return `The call was not approved, and was not ${made}. ${reason}`;
}

export function editedNote(args: Json): string {
  return `\n(A person changed the arguments to ${canonicalJson(args)})`;
}
