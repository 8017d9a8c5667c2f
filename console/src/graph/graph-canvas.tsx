import { Background, Controls, MarkerType, ReactFlow, BaseEdge } from '@xyflow/react';
import type { EdgeTypes, FitViewOptions, Node, NodeTypes, Edge, EdgeProps } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { JSX, ReactNode } from 'react';
import './graph.css';
import { toPath } from './lay-out.ts';
import type { Drawing, Point } from './lay-out.ts';

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

interface ArrowData extends Record<string, unknown> {
  readonly points: readonly Point[];
  readonly labelAt: Point;
  readonly text: string | null;
}

export type ShownArrow = Edge<ArrowData, 'shown'>;

/** An arrow on the way that the layout has found for it. */
export function GraphArrow({ id, data, markerEnd }: EdgeProps<ShownArrow>): JSX.Element | null {
  if (!data) return null;
  const { points, labelAt, text } = data;
  return (
    <BaseEdge
      id={id}
      path={toPath(points)}
      {...(markerEnd !== undefined && { markerEnd })}
      {...(text !== null && { label: text, labelX: labelAt.x, labelY: labelAt.y })}
    />
  );
}

interface OpenSubgraphsProps {
  /** What the outermost graph is called. */
  readonly outermost: string;
  readonly path: readonly string[];
  readonly onOpen: (path: readonly string[]) => void;
}

/** The subgraphs that are open, and the way back; nothing where none is. */
export function OpenSubgraphs({ outermost, path, onOpen }: OpenSubgraphsProps): JSX.Element | null {
  if (path.length === 0) return null;
  return (
    <nav aria-label="Open subgraphs" className="row">
      <button type="button" className="button small" onClick={() => onOpen([])}>
        {outermost}
      </button>
      {path.map((node, place) => (
        <button
          key={path.slice(0, place + 1).join('/')}
          type="button"
          className="button small"
          aria-current={place === path.length - 1 ? 'true' : undefined}
          onClick={() => onOpen(path.slice(0, place + 1))}
        >
          {node}
        </button>
      ))}
    </nav>
  );
}
