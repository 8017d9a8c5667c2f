import { OperationNodeTransformer } from 'kysely';
import type { KyselyPlugin, ValueNode } from 'kysely';

/**
 * PostgreSQL's text holds every character but NUL. Where a text that people choose is looked for or kept, NUL becomes
 * U+FFFD, as half a surrogate pair does on its way into UTF-8, so that it is found nowhere instead of being a fault.
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
