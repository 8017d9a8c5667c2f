import type { WriteDefinition } from './definition.ts';
import type { Bindings, Name } from './expression.ts';
import type { Update } from './scope.ts';
import { parseTemplate } from './template.ts';

/** Makes a node's update from its bindings, `result` or `error` among them. */
export type Writer = (bindings: Bindings) => Update;

/** Compiles `write`: a channel name takes the whole result, an object maps channels to templates. */
export function compileWrite(write: WriteDefinition | undefined, names: readonly Name[], field: string): Writer {
  if (write === undefined) return () => ({});
  if (typeof write === 'string') return ({ result }) => ({ [write]: result ?? null });
  const members = Object.entries(write).map(
    ([channel, value]) => [channel, parseTemplate(value, names, `${field}.${channel}`)] as const,
  );
  return (bindings) => Object.fromEntries(members.map(([channel, template]) => [channel, template.fill(bindings)]));
}
