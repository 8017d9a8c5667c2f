import { MAX_MEMORY_NAME } from '../../definition/offered-tool.ts';
import type { Bindings } from '../../expression/expression.ts';
import { GraphError } from '../../values/errors.ts';
import { toText } from '../../values/json.ts';
import { field } from '../node-settings.ts';

/**
 * Compiles the namespace that a model's memory is confined to.
 * @returns fills it. @throws GraphError `EXPRESSION_FAILED` for a part that is empty: one that was to name a customer would
 * name all of them
 */
export function compileNamespace(template: string): (bindings: Bindings) => string {
  const filler = field('tools.memory', template, '');
  return (bindings) => {
    const namespace = toText(filler.fill(bindings));
    if (NAMESPACE.test(namespace) && namespace.length <= MAX_MEMORY_NAME) return namespace;
    const expected = `1 to ${MAX_MEMORY_NAME} characters without control characters, and no empty part between slashes`;
    throw new GraphError('EXPRESSION_FAILED', `tools.memory: a namespace has ${expected}`);
  };
}

const NAMESPACE = /^[^/\p{Cc}]+(?:\/[^/\p{Cc}]+)*$/u;
