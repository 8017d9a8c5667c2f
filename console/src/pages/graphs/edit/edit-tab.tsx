import type { Graph } from 'holdfast/client';
import type { JSX } from 'react';
import { useLocation } from 'wouter';
import { toGraph } from '../graph/to-graph.ts';
import { DefinitionEditor } from './definition-editor.tsx';

/** Writes the next version of a graph, beginning with the one that is open. */
export function EditTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const [, navigate] = useLocation();
  return (
    <DefinitionEditor
      initial={graph.definition}
      of={graph.name}
      base={`${graph.version} ${graph.hash}`}
      onPublished={({ name, version }) => navigate(toGraph(name, 'versions', version))}
    />
  );
}
