import type { Graph } from 'holdfast/client';
import { useMemo, useState } from 'react';
import type { JSX } from 'react';
import { useSearchParams } from 'wouter';
import { diffRows } from '../../parts/diff-rows.ts';
import type { DiffRow } from '../../parts/diff-rows.ts';
import { DiffView } from '../../parts/diff-view.tsx';
import { Diagram } from '../../graph/diagram.tsx';
import type { NodeMark } from '../../graph/diagram.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PagesView, QueryView } from '../../parts/query-view.tsx';
import { toGraph } from '../paths.ts';
import { useGraph, useVersions, VersionSelect } from './versions.tsx';
import { changedNodes } from './changed-nodes.ts';

/** The differences between the open version and another one. */
export function CompareTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const pages = useVersions(graph.name);
  return (
    <PagesView pages={pages} empty={null}>
      {(versions) => {
        const others = versions.filter(({ version }) => version !== graph.version);
        return others.length === 0 ? (
          <Empty title="There is one version only">Each change that is published makes another.</Empty>
        ) : (
          <Chosen graph={graph} others={others} />
        );
      }}
    </PagesView>
  );
}

interface ChosenProps {
  readonly graph: Graph;
  readonly others: Parameters<typeof VersionSelect>[0]['versions'];
}

function Chosen({ graph, others }: ChosenProps): JSX.Element {
  const [search, setSearch] = useSearchParams();
  const named = Number(search.get('from'));
  const before = others.find(({ version }) => version < graph.version) ?? others[0];
  const from = Number.isSafeInteger(named) && named > 0 ? named : (before?.version ?? graph.version);
  const query = useGraph(graph.name, from);
  const choose = (version: number): void =>
    setSearch((now) => new URLSearchParams({ ...Object.fromEntries(now), from: String(version) }), { replace: true });
  return (
    <>
      <div className="row">
        <VersionSelect label="From version" versions={others} value={from} onChoose={choose} />
        <span>to version {graph.version}</span>
        <CopyAsCurl
          request={{ method: 'GET', path: `/api${toGraph(graph.name)}/diff?from=${from}&to=${graph.version}` }}
        />
      </div>
      <QueryView query={query}>{(other) => <Differences before={other} after={graph} />}</QueryView>
    </>
  );
}

function Differences({ before, after }: { readonly before: Graph; readonly after: Graph }): JSX.Element {
  const [chosen, setChosen] = useState<string | null>(null);
  const marks = useMemo(() => nodeMarks(diffRows(before.definition, after.definition)), [before, after]);
  return (
    <>
      <DiffView
        before={before.definition}
        after={after.definition}
        titles={[`Version ${before.version}`, `Version ${after.version}`]}
      />
      <h2>Version {after.version}, with what differs</h2>
      <Diagram
        label={`Diagram of version ${after.version}`}
        definition={after.definition}
        marks={marks}
        chosen={chosen}
        onChoose={setChosen}
      />
    </>
  );
}

/** Marks the nodes of a version that differ from those of another. */
function nodeMarks(rows: readonly DiffRow[]): ReadonlyMap<string, NodeMark> {
  return new Map([...changedNodes(rows)].map(([id, change]) => [id, { look: change, body: <>{change}</> }]));
}
