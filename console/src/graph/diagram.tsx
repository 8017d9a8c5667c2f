import { Handle, Position } from '@xyflow/react';
import type { NodeTypes, Node, NodeProps } from '@xyflow/react';
import { useMemo } from 'react';
import type { JSX, ReactNode } from 'react';
import type { Definition } from './definition.ts';
import './graph.css';
import { GraphCanvas } from './graph-canvas.tsx';
import { layOut, sizeOf } from './lay-out.ts';
import type { LaidOutNode } from './lay-out.ts';

interface DiagramProps {
  readonly label: string;
  readonly definition: Definition;
  /** Marks of nodes, by their ids. */
  readonly marks?: ReadonlyMap<string, NodeMark>;
  readonly chosen: string | null;
  readonly onChoose: (node: string | null) => void;
}

const NODE_TYPES: NodeTypes = { holdfast: DiagramNode };
const NO_MARKS: ReadonlyMap<string, NodeMark> = new Map();

/** A drawing of a definition. The layout is computed once. */
export function Diagram({ label, definition, marks = NO_MARKS, chosen, onChoose }: DiagramProps): JSX.Element {
  const drawing = useMemo(() => layOut(definition), [definition]);
  const nodes = useMemo(
    () =>
      drawing.nodes.map(({ id, x, y, ...node }): DiagramNode => {
        const data = { ...node, id, mark: marks.get(id) ?? null, isChosen: id === chosen, onChoose };
        return { id, type: 'holdfast', position: { x, y }, ...sizeOf(node), data, focusable: false };
      }),
    [drawing, marks, chosen, onChoose],
  );
  return (
    <GraphCanvas label={label} drawing={drawing} nodes={nodes} nodeTypes={NODE_TYPES} onLeave={() => onChoose(null)} />
  );
}

interface NodeData extends Omit<LaidOutNode, 'x' | 'y'>, Record<string, unknown> {
  /** The highlight of the node; `null` if it has none. */
  readonly mark: NodeMark | null;
  readonly isChosen: boolean;
  readonly onChoose: (node: string) => void;
}

/** A highlight of a node: the CSS class of its frame, and extra content. */
export interface NodeMark {
  readonly look: string;
  readonly body: ReactNode;
}

type DiagramNode = Node<NodeData, 'holdfast'>;

/** A node of a diagram, as a button that opens it. */
function DiagramNode({ data }: NodeProps<DiagramNode>): JSX.Element {
  const { id, kind, about, mark, isChosen, onChoose } = data;
  return (
    <>
      {kind !== 'start' && <Handle type="target" position={Position.Top} isConnectable={false} />}
      {kind === 'node' ? (
        <button
          type="button"
          className={`diagram-node nodrag nopan ${mark?.look ?? 'plain'}${isChosen ? ' chosen' : ''}`}
          aria-pressed={isChosen}
          onClick={() => onChoose(id)}
        >
          <strong>{id}</strong>
          <span className="diagram-about">{about}</span>
          {mark && <span className="diagram-mark">{mark.body}</span>}
        </button>
      ) : (
        <div className="diagram-point">{about}</div>
      )}
      {kind !== 'end' && <Handle type="source" position={Position.Bottom} isConnectable={false} />}
    </>
  );
}
