import { canonicalJson } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/* Answers to a model about tool calls that did not run as requested. Each says what happened. */

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
