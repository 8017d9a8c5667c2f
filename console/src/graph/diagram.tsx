import { Background, Controls, MarkerType, ReactFlow } from '@xyflow/react';
import type { EdgeTypes, FitViewOptions, NodeTypes } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { JSX } from 'react';
import type { Definition } from './definition.ts';
import './diagram.css';
import { DiagramNode } from './diagram-node.tsx';
import type { NodeMark } from './diagram-node.tsx';
import { GraphArrow } from './graph-arrow.tsx';
import type { ShownArrow } from './graph-arrow.tsx';
import { layOut, sizeOf } from './lay-out.ts';
import type { Drawing } from './lay-out.ts';

interface DiagramProps {
  readonly label: string;
  readonly definition: Definition;
  /** How single nodes stand out, by their ids. */
  readonly marks?: ReadonlyMap<string, NodeMark>;
  readonly chosen: string | null;
  readonly onChoose: (node: string | null) => void;
}

const NODE_TYPES: NodeTypes = { shown: DiagramNode };
const EDGE_TYPES: EdgeTypes = { shown: GraphArrow };
const NO_MARKS: ReadonlyMap<string, NodeMark> = new Map();

/** A drawing of a definition, laid out once. */
export function Diagram({ label, definition, marks = NO_MARKS, chosen, onChoose }: DiagramProps): JSX.Element {
  const drawing = useMemo(() => layOut(definition), [definition]);
  const nodes = useMemo(
    () =>
      drawing.nodes.map(({ id, x, y, ...node }): DiagramNode => {
        const data = { ...node, id, mark: marks.get(id) ?? null, isChosen: id === chosen, onChoose };
        return { id, type: 'shown', position: { x, y }, ...sizeOf(node), data, focusable: false };
      }),
    [drawing, marks, chosen, onChoose],
  );
  const edges = useMemo(() => toEdges(drawing), [drawing]);
  return (
    <section className="diagram card" aria-label={label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        fitView
        fitViewOptions={toFirstLook(drawing)}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        onPaneClick={() => onChoose(null)}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
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

/** Shows all of a small graph, of a large one where it begins. */
function toFirstLook({ nodes, height }: Drawing): FitViewOptions<DiagramNode> {
  if (height <= READABLE_PX) return { maxZoom: 1, padding: 0.08 };
  return { nodes: nodes.slice(0, FIRST), minZoom: 0.6, maxZoom: 0.85 };
}
