import type { Graph } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { isMembers } from '../../form/fields.ts';
import { innerOf } from '../../graph/definition.ts';
import type { Definition } from '../../graph/definition.ts';
import { Diagram } from '../../graph/diagram.tsx';
import { OpenSubgraphs } from '../../graph/graph-canvas.tsx';
import { CopyAsCurl } from '../../parts/copy-button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { toGraph } from '../paths.ts';

/** The diagram of a graph, with the definition of the selected node. */
export function DiagramTab({ graph }: { readonly graph: Graph }): JSX.Element {
  const [path, setPath] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const opened = innerAt(graph.definition, path);
  const open = (next: readonly string[]): void => {
    setPath(next);
    setChosen(null);
  };
  const node = chosen === null ? null : nodeOf(opened, chosen);
  return (
    <>
      <OpenSubgraphs outermost="The whole graph" path={path} onOpen={open} />
      <div className={node === null ? 'diagram-and-node' : 'diagram-and-node with-node'}>
        <Diagram
          key={path.join('/')}
          label={`Diagram of ${graph.name}`}
          definition={opened}
          chosen={chosen}
          onChoose={setChosen}
        />
        {chosen !== null && node !== null && (
          <section className="card stack" aria-label={`The node ${chosen}`}>
            <h2>{chosen}</h2>
            <Inner node={node} outer={opened} onOpen={() => open([...path, chosen])} />
            <JsonView value={node} open={3} />
          </section>
        )}
      </div>
      <details className="card">
        <summary>The definition as JSON</summary>
        <JsonView value={graph.definition} open={1} />
      </details>
      <div>
        <CopyAsCurl request={{ method: 'GET', path: `/api${toGraph(graph.name)}/versions/${graph.version}` }} />
      </div>
    </>
  );
}

function innerAt(definition: Definition, path: readonly string[]): Definition {
  return path.reduce((outer, id) => {
    const inner = innerOf(nodeOf(outer, id) ?? {}, outer);
    return isMembers(inner) ? inner : outer;
  }, definition);
}

function nodeOf({ nodes }: Definition, id: string): Definition | null {
  const node = isMembers(nodes) && Object.hasOwn(nodes, id) ? nodes[id] : null;
  return isMembers(node) ? node : null;
}

interface InnerProps {
  readonly node: Definition;
  /** The definition that contains the node. */
  readonly outer: Definition;
  readonly onOpen: () => void;
}

/** The graph inside of a node: its own, or a published one. */
function Inner({ node, outer, onOpen }: InnerProps): JSX.Element | null {
  const inner = innerOf(node, outer);
  if (inner === null) return null;
  if (typeof inner === 'string') return <Link href={toGraph(inner.replace(/@.*$/, ''))}>Go to {inner}</Link>;
  return (
    <div>
      <button type="button" className="button small" onClick={onOpen}>
        Open the graph inside
      </button>
    </div>
  );
}
