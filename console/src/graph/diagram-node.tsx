import { Handle, Position } from '@xyflow/react';
import type { Node, NodeProps } from '@xyflow/react';
import type { JSX, ReactNode } from 'react';
import type { PlacedNode } from './lay-out.ts';

interface NodeData extends Omit<PlacedNode, 'x' | 'y'>, Record<string, unknown> {
  /** What is shown of the node besides its name and subject. */
  readonly mark: NodeMark | null;
  readonly isChosen: boolean;
  readonly onChoose: (node: string) => void;
}

/** How a node stands out: the class of its frame, and what is shown in it. */
export interface NodeMark {
  readonly look: string;
  readonly body: ReactNode;
}

export type DiagramNode = Node<NodeData, 'shown'>;

/** A node of a diagram: a button that opens it. */
export function DiagramNode({ data }: NodeProps<DiagramNode>): JSX.Element {
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
