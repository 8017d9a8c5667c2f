import type { NodeTypes } from '@xyflow/react';
import { useMemo } from 'react';
import type { JSX } from 'react';
import type { Definition } from '../../../graph/definition.ts';
import './graph.css';
import { KeepInSight } from './keep-in-sight.tsx';
import { GraphCanvas } from '../../../graph/graph-canvas.tsx';
import { GraphNode } from './graph-node.tsx';
import type { ShownNode } from './graph-node.tsx';
import { layOut, sizeOf } from '../../../graph/lay-out.ts';
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
      <KeepInSight node={chosen} />
    </GraphCanvas>
  );
}
