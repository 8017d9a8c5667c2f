import { OperationNodeTransformer } from 'kysely';
import type { KyselyPlugin, ValueNode } from 'kysely';

/**
 * Replaces NUL in texts by U+FFFD, because PostgreSQL's text can't hold NUL.
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
    return typeof node.value === 'string' && node.value.includes('\0')
      ? { ...node, value: node.value.replaceAll('\0', '\uFFFD') }
      : node;
  }
}
