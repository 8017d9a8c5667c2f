import { Background, Controls, MarkerType, ReactFlow } from '@xyflow/react';
import type { Edge, NodeTypes } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useMemo } from 'react';
import type { JSX } from 'react';
import type { Definition } from './definition.ts';
import './graph.css';
import { GraphNode } from './graph-node.tsx';
import type { ShownNode } from './graph-node.tsx';
import { layOut, sizeOf } from './lay-out.ts';
import type { Drawing } from './lay-out.ts';
import type { NodeState } from './node-states.ts';

interface GraphViewProps {
  readonly definition: Definition;
  /** The subgraphs around it. */
  readonly path: readonly string[];
  readonly states: ReadonlyMap<string, NodeState>;
  readonly chosen: string | null;
  readonly onChoose: (node: string | null) => void;
  readonly onOpen: (node: string) => void;
}

const NODE_TYPES: NodeTypes = { shown: GraphNode };

/** A drawing of a graph with what a run has done in it. It is laid out once for a definition. */
export function GraphView({ definition, path, states, chosen, onChoose, onOpen }: GraphViewProps): JSX.Element {
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
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
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
      </ReactFlow>
    </section>
  );
}

function toEdges({ arrows }: Drawing): Edge[] {
  return arrows.map(({ from, to, label, isDetour }, number) => ({
    id: String(number),
    source: from,
    target: to,
    className: isDetour ? 'detour' : '',
    markerEnd: { type: MarkerType.ArrowClosed },
    ...(label !== null && { label: label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL)}…` : label }),
  }));
}

const LONGEST_LABEL = 40;
