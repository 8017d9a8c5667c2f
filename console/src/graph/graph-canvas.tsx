import { Background, Controls, MarkerType, ReactFlow } from '@xyflow/react';
import type { EdgeTypes, FitViewOptions, Node, NodeTypes } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { JSX, ReactNode } from 'react';
import { GraphArrow } from './graph-arrow.tsx';
import type { ShownArrow } from './graph-arrow.tsx';
import './graph-canvas.css';
import type { Drawing } from './lay-out.ts';

interface GraphCanvasProps {
  readonly label: string;
  readonly drawing: Drawing;
  /** The nodes of the drawing as they look now. */
  readonly nodes: Node[];
  readonly nodeTypes: NodeTypes;
  /** The nodes at which a large graph is opened, by their ids; none: where it begins. */
  readonly here?: readonly string[];
  /** True: nodes out of sight are not there for readers of the screen either. */
  readonly onlyRenderVisibleElements?: boolean;
  readonly onLeave: () => void;
  readonly children?: ReactNode;
}

const EDGE_TYPES: EdgeTypes = { shown: GraphArrow };

/** Where a graph is drawn: it can be moved and made larger, and nothing in it changed. */
export function GraphCanvas(props: GraphCanvasProps): JSX.Element {
  const { label, drawing, nodes, nodeTypes, here = [], onlyRenderVisibleElements = false, onLeave, children } = props;
  const edges = useMemo(() => toEdges(drawing), [drawing]);
  return (
    <section className="graph-canvas card" aria-label={label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={toFirstLook(drawing, here)}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements={onlyRenderVisibleElements}
        onPaneClick={onLeave}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
        {children}
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

/** Shows all of a small graph; of a large one, some of its nodes. */
function toFirstLook({ nodes, height }: Drawing, here: readonly string[]): FitViewOptions {
  if (height <= READABLE_PX) return { maxZoom: 1, padding: 0.08 };
  const current = nodes.filter(({ id }) => here.includes(id));
  return { nodes: current.length > 0 ? current : nodes.slice(0, FIRST), minZoom: 0.6, maxZoom: 0.85 };
}
