import type { Graph } from 'holdfast/client';
import type { JSX } from 'react';
import { useLocation } from 'wouter';
import { toGraph } from './to-graph.ts';
import { useVersions } from './use-versions.ts';
import { VersionSelect } from './version-select.tsx';

/** Goes to another version of a graph, in the same tab. */
export function VersionPicker({ graph, tab }: { readonly graph: Graph; readonly tab: string }): JSX.Element {
  const { items = [graph] } = useVersions(graph.name);
  const [, navigate] = useLocation();
  return (
    <VersionSelect
      label="Version"
      versions={items}
      value={graph.version}
      onChoose={(version) => navigate(toGraph(graph.name, tab, version))}
    />
  );
}
