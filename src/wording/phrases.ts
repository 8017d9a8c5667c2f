import { escapeInvisible } from '../graph/values/index.ts';

/* Parts of sentences about runs. */

/** An error as people read it. */
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
  /** The nodes around it, the outermost first. */
  readonly path?: readonly string[] | undefined;
}

/** Names a node, such as `outer/inner[2]`. */
export function formatNode({ node, index, path = [] }: NodeName): string {
  return `${[...path, node].join('/')}${index === undefined ? '' : `[${index}]`}`;
}

/** Says how often something was tried, if that was more than once. */
export function afterAttempts(attempts = 1): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}

/** Puts a text into one line, with escapes for what would not be visible in it. */
export function toLine(text: string): string {
  return escapeInvisible(text.replaceAll('\n', ' '));
}
