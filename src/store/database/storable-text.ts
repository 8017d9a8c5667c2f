import { OperationNodeTransformer } from 'kysely';
import type { KyselyPlugin, ValueNode } from 'kysely';

/**
 * Replaces NUL in texts and in lists of texts by U+FFFD, because PostgreSQL's text can't hold NUL.
 * A search for such a text then finds nothing instead of failing.
 */
export function storableText(): KyselyPlugin {
  const transformer = new StorableText();
  return {
    transformQuery: ({ node }) => transformer.transformNode(node),
    transformResult: async ({ result }) => result,
  };
}

class StorableText extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    const value = toStorable(node.value);
    return value === node.value ? node : { ...node, value };
  }
}

/** Cleans a text, or the texts of a list. */
function toStorable(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
  return Array.isArray(value) && value.some((item) => toStorable(item) !== item) ? value.map(toStorable) : value;
}
