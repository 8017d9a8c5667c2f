import { Background, Controls, MarkerType, ReactFlow } from '@xyflow/react';
import type { EdgeTypes, FitViewOptions, NodeTypes } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { JSX } from 'react';
import type { Definition } from '../../../graph/definition.ts';
import './graph.css';
import { KeepInSight } from './keep-in-sight.tsx';
import { GraphArrow } from '../../../graph/graph-arrow.tsx';
import type { ShownArrow } from '../../../graph/graph-arrow.tsx';
import { GraphNode } from './graph-node.tsx';
import type { ShownNode } from './graph-node.tsx';
import { layOut, sizeOf } from '../../../graph/lay-out.ts';
import type { Drawing } from '../../../graph/lay-out.ts';
import type { NodeState } from './node-states.ts';

interface GraphViewProps {
  readonly definition: Definition;
  /** The subgraphs around it. */
  readonly path: readonly string[];
  readonly states: ReadonlyMap<string, NodeState>;
  /** The ids of the nodes where the run stands. */
  readonly here: readonly string[];
  readonly chosen: string | null;
  readonly onChoose: (node: string | null) => void;
  readonly onOpen: (node: string) => void;
}

const NODE_TYPES: NodeTypes = { shown: GraphNode };
const EDGE_TYPES: EdgeTypes = { shown: GraphArrow };

/** A drawing of a graph with what a run has done in it. It is laid out once for a definition. */
export function GraphView({ definition, path, states, here, chosen, onChoose, onOpen }: GraphViewProps): JSX.Element {
  const drawing = useMemo(() => layOut(definition), [definition]);
  const nodes = useMemo(
    () =>
      drawing.nodes.map(({ id, x, y, ...node }): ShownNode => {
        const state = states.get([...path, id].join('/')) ?? null;
        const data = { ...node, id, state, isChosen: id === chosen, onChoose, onOpen };
        return { id, type: 'shown', position: { x, y }, ...sizeOf(node), data, focusable: false };
      }),
    [drawing, path, states, chosen, onChoose, onOpen],
  );
  const edges = useMemo(() => toEdges(drawing), [drawing]);
  return (
    <section className="graph card" aria-label="Graph">
      <ReactFlow
        key={path.join('/')}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={toFirstLook(drawing, here)}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements
        onPaneClick={() => onChoose(null)}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
        <KeepInSight node={chosen} />
      </ReactFlow>
    </section>
  );
}

function toEdges({ arrows }: Drawing): ShownArrow[] {
  return arrows.map(({ from, to, label, isDetour, points, labelAt }, number) => ({
    id: String(number),
    type: 'shown',
    source: from,
    target: to,
    className: isDetour ? 'detour' : '',
    markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
    data: { points, labelAt, text: label },
  }));
}

/** A higher drawing can't be read as a whole. */
const READABLE_PX = 1_000;
/** The start, and nodes behind it. */
const FIRST = 4;

/** Shows all of a small graph; of a large one, where the run stands. */
function toFirstLook({ nodes, height }: Drawing, here: readonly string[]): FitViewOptions<ShownNode> {
  if (height <= READABLE_PX) return { maxZoom: 1, padding: 0.08 };
  const current = nodes.filter(({ id }) => here.includes(id));
  return { nodes: current.length > 0 ? current : nodes.slice(0, FIRST), minZoom: 0.6, maxZoom: 0.85 };
}
