import type { Graph } from 'holdfast/client';
import type { ComponentType, JSX } from 'react';
import { Link, useSearchParams, useLocation } from 'wouter';
import { Notice } from '../../parts/notices.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { QueryView } from '../../parts/query-view.tsx';
import { Time } from '../../parts/time.tsx';
import { AliasesTab } from './aliases-tab.tsx';
import { CompareTab } from './compare-tab.tsx';
import { EditTab } from './definition-editor.tsx';
import { StartTab } from './start-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';
import { DiagramTab } from './diagram-tab.tsx';
import './graphs.css';
import { toGraph } from '../paths.ts';
import { useGraph, useVersions, VersionSelect } from './versions.tsx';

interface Tab {
  readonly label: string;
  readonly Body: ComponentType<{ readonly graph: Graph }>;
}

const TABS: Readonly<Record<string, Tab>> = {
  diagram: { label: 'Diagram', Body: DiagramTab },
  versions: { label: 'Versions', Body: VersionsTab },
  compare: { label: 'Compare', Body: CompareTab },
  aliases: { label: 'Aliases', Body: AliasesTab },
  edit: { label: 'Edit', Body: EditTab },
  start: { label: 'Start a run', Body: StartTab },
};

interface GraphPageProps {
  readonly name: string;
  /** The name of a tab; any other text opens the diagram. */
  readonly tab: string;
}

/** The page of a version of a graph. */
export function GraphPage({ name, tab }: GraphPageProps): JSX.Element {
  const [search] = useSearchParams();
  const version = readVersion(search.get('version'));
  const query = useGraph(name, version);
  const openTab = Object.hasOwn(TABS, tab) ? tab : 'diagram';
  return (
    <div className="stack">
      <QueryView query={query} what="Opening the graph">
        {(graph) => <Opened key={graph.version} graph={graph} tab={openTab} version={version} />}
      </QueryView>
    </div>
  );
}

function readVersion(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

interface OpenedProps {
  readonly graph: Graph;
  readonly tab: string;
  /** The version in the address. */
  readonly version: number | undefined;
}

function Opened({ graph, tab, version }: OpenedProps): JSX.Element {
  const { name, definition, unpublished } = graph;
  const Body = TABS[tab]?.Body ?? DiagramTab;
  const { description } = definition;
  return (
    <>
      <PageHeader title={name} about={typeof description === 'string' ? description : undefined}>
        <VersionPicker graph={graph} tab={tab} />
      </PageHeader>
      <p className="published muted small-text">
        Published <Time at={graph.createdAt} /> by {graph.createdBy} · <code>{graph.hash}</code>
      </p>
      {unpublished && (
        <Notice kind="warn">
          <p>
            This version was taken back by {unpublished.by}, <Time at={unpublished.at} />: no new run may name it.
          </p>
        </Notice>
      )}
      <nav className="tabs" aria-label="About the graph">
        {Object.entries(TABS).map(([path, { label }]) => (
          <Link
            key={path}
            href={toGraph(name, path === 'diagram' ? '' : path, version)}
            aria-current={path === tab ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Body graph={graph} />
    </>
  );
}

/** A menu that opens another version of a graph in the same tab. */
function VersionPicker({ graph, tab }: { readonly graph: Graph; readonly tab: string }): JSX.Element {
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
