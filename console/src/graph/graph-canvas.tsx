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
  /** The nodes with their current look. */
  readonly nodes: Node[];
  readonly nodeTypes: NodeTypes;
  /** Ids of nodes that the first view of a large graph centers on; if empty, the start. */
  readonly here?: readonly string[];
  /** True: nodes outside of the viewport are not rendered, so screen readers do not get them. */
  readonly onlyRenderVisibleElements?: boolean;
  readonly onLeave: () => void;
  readonly children?: ReactNode;
}

const EDGE_TYPES: EdgeTypes = { holdfast: GraphArrow };

/** A read-only drawing of a graph that can be panned and zoomed. */
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
        fitViewOptions={initialView(drawing, here)}
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

function toEdges({ arrows }: Drawing): FlowEdge[] {
  return arrows.map(({ from, to, label, isDetour, points, labelAt }, number) => ({
    id: String(number),
    type: 'holdfast',
    source: from,
    target: to,
    className: isDetour ? 'detour' : '',
    markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18 },
    data: { points, labelAt, text: label },
  }));
}

/** Above this height, a drawing is not legible as a whole. */
const READABLE_PX = 1_000;
/** The number of nodes in the first view of a large graph. */
const FIRST = 4;

/** Fits a small graph into the view; of a large one, some of its nodes. */
function initialView({ nodes, height }: Drawing, here: readonly string[]): FitViewOptions {
  if (height <= READABLE_PX) return { maxZoom: 1, padding: 0.08 };
  const current = nodes.filter(({ id }) => here.includes(id));
  return { nodes: current.length > 0 ? current : nodes.slice(0, FIRST), minZoom: 0.6, maxZoom: 0.85 };
}

interface ArrowData extends Record<string, unknown> {
  readonly points: readonly Point[];
  readonly labelAt: Point;
  readonly text: string | null;
}

type FlowEdge = Edge<ArrowData, 'holdfast'>;

/** An edge, drawn along the path from the layout. */
function GraphArrow({ id, data, markerEnd }: EdgeProps<FlowEdge>): JSX.Element | null {
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
  /** The name of the outermost graph. */
  readonly outermost: string;
  readonly path: readonly string[];
  readonly onOpen: (path: readonly string[]) => void;
}

/** Breadcrumbs of the open subgraphs; empty if none is open. */
export function OpenSubgraphs({ outermost, path, onOpen }: OpenSubgraphsProps): JSX.Element | null {
  if (path.length === 0) return null;
  return (
    <nav aria-label="Open subgraphs" className="row">
      <button type="button" className="button small" onClick={() => onOpen([])}>
        {outermost}
      </button>
      {path.map((node, index) => (
        <button
          key={path.slice(0, index + 1).join('/')}
          type="button"
          className="button small"
          aria-current={index === path.length - 1 ? 'true' : undefined}
          onClick={() => onOpen(path.slice(0, index + 1))}
        >
          {node}
        </button>
      ))}
    </nav>
  );
}
