import { MAX_MEMORY_NAME } from '../../definition/node-types/offered-tool.ts';
import { NODE_NAMES } from '../../expression/expression.ts';
import type { Bindings } from '../../expression/expression.ts';
import { splitIntoPieces } from '../../expression/template.ts';
import { GraphError } from '../../values/errors.ts';
import { toText } from '../../values/json.ts';
import { field } from '../node-settings.ts';

/**
 * Compiles the namespace that a model's memory is confined to. A value fills one part between slashes: one with a slash
 * of its own would lead into the namespace of another, and an empty one to that of all.
 * @returns fills it. @throws GraphError `EXPRESSION_FAILED` for a part that is empty, or more parts than the template has
 */
export function compileNamespace(template: string): (bindings: Bindings) => string {
  const filler = field('tools.memory', template, '');
  const literal = splitIntoPieces(template, NODE_NAMES).filter((piece) => typeof piece === 'string');
  const parts = partsOf(literal.join(''));
  return (bindings) => {
    const namespace = toText(filler.fill(bindings));
    const isWhole = NAMESPACE.test(namespace) && namespace.length <= MAX_MEMORY_NAME;
    if (isWhole && partsOf(namespace) === parts) return namespace;
    const expected = `1 to ${MAX_MEMORY_NAME} characters without control characters, and ${parts} parts between slashes, none empty`;
    throw new GraphError('EXPRESSION_FAILED', `tools.memory: this namespace has ${expected}`);
  };
}

function partsOf(namespace: string): number {
  return namespace.split('/').length;
}

const NAMESPACE = /^[^/\p{Cc}]+(?:\/[^/\p{Cc}]+)*$/u;
