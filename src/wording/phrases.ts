import { escapeInvisible } from '../graph/values/index.ts';

/* Parts of sentences about runs. */

/** An error for people. */
export interface ReadableError {
  readonly code: string;
  readonly message: string;
  readonly cause?: { readonly code: string; readonly message: string } | undefined;
}

export function formatError({ code, message }: ReadableError): string {
  return `${code} ${message}`;
}

export function formatCause({ cause }: ReadableError): string {
  return cause ? `; ${formatError(cause)}` : '';
}

interface NodeName {
  readonly node: string;
  readonly index?: number | undefined;
  /** The nodes around it, outermost first. */
  readonly path?: readonly string[] | undefined;
}

/** Formats a node, such as `outer/inner[2]`. */
export function formatNode({ node, index, path = [] }: NodeName): string {
  return `${[...path, node].join('/')}${index === undefined ? '' : `[${index}]`}`;
}

/** Formats the number of attempts, if there was more than one. */
export function afterAttempts(attempts = 1): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}

/** Formats a text in one line, with escapes for invisible characters. */
export function toOneLine(text: string): string {
  return escapeInvisible(text.replaceAll('\n', ' '));
}
