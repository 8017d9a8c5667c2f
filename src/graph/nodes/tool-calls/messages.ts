import { canonicalJson } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/* What a model is told of calls that did not go as it wanted: what happened, and what to do differently. */

export function toolNotFound(name: string): string {
  return `Tool not found: ${name}`;
}

export function failureNote(message: string): string {
  return `Execution failed: ${message}`;
}

export function rejectionNote(reason: string): string {
  return `The call was not approved, and was not made. ${reason}`;
}

export function editedNote(args: Json): string {
  return `\n(A person changed the arguments to ${canonicalJson(args)})`;
}
