import type { Run } from 'holdfast/client';
import { useMemo, useState, useEffect } from 'react';
import type { JSX } from 'react';
import { useReactFlow, useStore } from '@xyflow/react';
import type { NodeTypes } from '@xyflow/react';
import { Problem } from '../../../parts/notices.tsx';
import { QueryView } from '../../../parts/query-view.tsx';
import { useHistory } from '../data/use-run.ts';
import { NodePanel } from './node-panel.tsx';
import { useRunGraph } from '../data/use-definition.ts';
import { innerOf, nodesOf } from '../../../graph/definition.ts';
import type { Definition } from '../../../graph/definition.ts';
import { OpenSubgraphs, GraphCanvas } from '../../../graph/graph-canvas.tsx';
import { nodeStates } from './node-states.ts';
import type { NodeState } from './node-states.ts';
import './graph.css';
import { GraphNode } from './graph-node.tsx';
import type { FlowNode } from './graph-node.tsx';
import { layOut, sizeOf } from '../../../graph/lay-out.ts';

/** The graph of a run with the states of its nodes, and the panel of the selected node. */
export function GraphTab({ run }: { readonly run: Run }): JSX.Element {
  const graph = useRunGraph(run);
  const history = useHistory(run.id);
  const [path, setPath] = useState<readonly string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const states = useMemo(() => nodeStates(history.data ?? [], run.waitingFor), [history.data, run.waitingFor]);
  const open = (next: readonly string[]): void => {
    setPath(next);
    setChosen(null);
  };
  return (
    <div className={chosen === null ? 'graph-and-panel' : 'graph-and-panel with-panel'}>
      <div className="stack">
        <OpenSubgraphs outermost="The run’s graph" path={path} onOpen={open} />
        {history.isError && <Problem error={history.error} onRetry={() => void history.refetch()} />}
        <QueryView query={graph} what="Loading the graph">
          {({ definition, graphs }) => (
            <Level definition={definition} graphs={graphs} path={path}>
              {(opened) => (
                <GraphView
                  definition={opened}
                  path={path}
                  states={states}
                  here={activeNodes(run)}
                  chosen={chosen}
                  onChoose={setChosen}
                  onOpen={(id) => open([...path, id])}
                />
              )}
            </Level>
          )}
        </QueryView>
      </div>
      {chosen !== null && (
        <NodePanel key={chosen} run={run} path={path} node={chosen} onClose={() => setChosen(null)} />
      )}
    </div>
  );
}

/** The current nodes of a run: those that wait, the failed one, or the next ones. */
function activeNodes({ waitingFor, error, next }: Run): readonly string[] {
  if (waitingFor.length > 0) return waitingFor.map(({ node }) => node);
  return error?.node === undefined ? next : [error.node];
}

interface LevelProps {
  readonly definition: Definition;
  /** The graphs inside it, by the names in definitions. */
  readonly graphs: Readonly<Record<string, Definition>>;
  readonly path: readonly string[];
  readonly children: (definition: Definition) => JSX.Element;
}

/** Renders the graph at the end of a path of subgraphs. */
function Level({ definition, graphs, path, children }: LevelProps): JSX.Element {
  const [first, ...rest] = path;
  if (first === undefined) return children(definition);
  const inner = innerOf(nodesOf(definition).find(([id]) => id === first)?.[1] ?? {}, definition);
  const opened = typeof inner === 'string' ? graphs[inner] : inner;
  return (
    <Level definition={opened ?? {}} graphs={graphs} path={rest}>
      {children}
    </Level>
  );
}

interface GraphViewProps {
  readonly definition: Definition;
  /** The enclosing subgraphs. */
  readonly path: readonly string[];
  readonly states: ReadonlyMap<string, NodeState>;
  /** The ids of the current nodes. */
  readonly here: readonly string[];
  readonly chosen: string | null;
  readonly onChoose: (node: string | null) => void;
  readonly onOpen: (node: string) => void;
}

const NODE_TYPES: NodeTypes = { holdfast: GraphNode };

/** A drawing of a graph with the states of a run. The layout is computed once for a definition. */
function GraphView({ definition, path, states, here, chosen, onChoose, onOpen }: GraphViewProps): JSX.Element {
  const drawing = useMemo(() => layOut(definition), [definition]);
  const nodes = useMemo(
    () =>
      drawing.nodes.map(({ id, x, y, ...node }): FlowNode => {
        const state = states.get([...path, id].join('/')) ?? null;
        const data = { ...node, id, state, isChosen: id === chosen, onChoose, onOpen };
        return { id, type: 'holdfast', position: { x, y }, ...sizeOf(node), data, focusable: false };
      }),
    [drawing, path, states, chosen, onChoose, onOpen],
  );
  return (
    <GraphCanvas
      key={path.join('/')}
      label="Graph"
      drawing={drawing}
      nodes={nodes}
      nodeTypes={NODE_TYPES}
      here={here}
      onlyRenderVisibleElements
      onLeave={() => onChoose(null)}
    >
      <KeepVisible node={chosen} />
    </GraphCanvas>
  );
}

/** Pans the drawing so that a node stays visible when the panel opens. The zoom stays. */
function KeepVisible({ node }: { readonly node: string | null }): null {
  const { fitView, getZoom } = useReactFlow();
  const width = useStore((store) => store.width);
  useEffect(() => {
    if (node === null || width === 0) return;
    const zoom = getZoom();
    void fitView({ nodes: [{ id: node }], minZoom: zoom, maxZoom: zoom });
  }, [node, width, fitView, getZoom]);
  return null;
}
