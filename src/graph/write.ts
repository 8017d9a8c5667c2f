import type { WriteDefinition } from './definition.ts';
import type { Bindings, Name } from './expression.ts';
import type { Update } from './scope.ts';
import { parseMembers } from './template.ts';

/** Makes a node's update from its bindings, `result` or `error` among them. */
export type Writer = (bindings: Bindings) => Update;

/** Compiles `write`: a channel name takes the whole result, an object maps channels to templates. */
export function compileWrite(write: WriteDefinition | undefined, names: readonly Name[], field: string): Writer {
  if (write === undefined) return () => ({});
  if (typeof write === 'string') return ({ result }) => ({ [write]: result ?? null });
  return parseMembers(write, names, (channel) => `${field}.${channel}`);
}
