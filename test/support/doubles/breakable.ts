import type { NodeOfType } from '../../../src/graph/definition/definition.ts';
import { isJsonObject, toTemplateText } from '../../../src/graph/values/json.ts';
import { CallFailure } from './memory-shell.ts';
import type { Outside } from './memory-shell.ts';

/** An outside whose tool calls fail while their argument `key` is broken. */
export interface Breakable {
  readonly outside: Outside;
  readonly broken: Set<string>;
  /** The idempotency keys of the calls so far, without the run's id. */
  readonly calls: string[];
}

export function breakable(...names: readonly string[]): Breakable {
  const broken = new Set(names);
  const calls: string[] = [];
  const outside: Outside = {
    tool({ args }, key) {
      calls.push(key.slice(key.indexOf(':') + 1));
      const name = isJsonObject(args) ? toTemplateText(args['key'] ?? null) : '';
      if (broken.has(name)) throw new CallFailure('TOOL_FAILED', `${name} is broken`);
      return `${name}!`;
    },
  };
  return { outside, broken, calls };
}

/** Builds a node that calls a tool with its own name, or a template, and logs the result. */
export const works = (key: string, over: Partial<Extract<NodeOfType<'tool'>, { tool: string }>> = {}) =>
  ({ type: 'tool', tool: 'charge', args: { key }, write: { log: '{{ result }}' }, ...over }) as const;

/** Builds nodes that call tools with their own names. */
export function allWork(...ids: readonly string[]): Record<string, ReturnType<typeof works>> {
  return Object.fromEntries(ids.map((id) => [id, works(id)]));
}
