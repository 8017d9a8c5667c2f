import { escapeInvisible, throwingFrame } from '../graph/values/index.ts';

/* Parts of sentences about runs. */

/** An error for people. */
export interface ReadableError {
  readonly code: string;
  readonly message: string;
  readonly cause?: { readonly code: string; readonly message: string; readonly stack?: string | undefined } | undefined;
}

export function formatError({ code, message }: ReadableError): string {
  return `${code} ${message}`;
}

/** Formats where configured code threw an error, such as `, at execute (tools/pay.ts:3:9)`; empty if unknown. */
export function formatOrigin(error: ReadableError): string {
  const frame = throwingFrame(error);
  return frame === null ? '' : `, ${frame}`;
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

/**
 * Formats the node of a call, such as `outer[3]/inner`. Only the call's key names the elements of a `forEach` around the
 * node.
 */
export function formatCaller({ idempotencyKey, ...event }: NodeName & { readonly idempotencyKey: string }): string {
  const [, task = ''] = /^[^:]+:([^:]+):/.exec(idempotencyKey) ?? [];
  const keys = task.split('/').map((key) => key.replace(/\.\d+\.\d+$/, ''));
  // Keys of long paths are shortened, so they name no nodes.
  const isWhole =
    keys.map((key) => key.replace(/#\d+$/, '')).join('/') === [...(event.path ?? []), event.node].join('/');
  return isWhole ? keys.map((key) => key.replace(/#(\d+)$/, '[$1]')).join('/') : formatNode(event);
}

/** Formats the number of attempts, if there was more than one. */
export function afterAttempts(attempts = 1): string {
  return attempts > 1 ? ` after ${attempts} attempts` : '';
}

/** Formats a text in one line, with escapes for invisible characters. */
export function toOneLine(text: string): string {
  return escapeInvisible(text.replaceAll('\n', ' '));
}
