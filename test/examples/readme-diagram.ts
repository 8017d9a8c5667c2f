import type { GraphDefinition } from '../../src/graph/definition/index.ts';
import { toMermaid } from '../../src/graph/diagram/index.ts';

/** Replaces the Mermaid diagram in a page by that of a graph. */
export function withDiagram(page: string, graph: GraphDefinition): string {
  return page.replace(/^```mermaid\n[^]*?^```$/m, () => `\`\`\`mermaid\n${toMermaid(graph).trimEnd()}\n\`\`\``);
}
