import { Handle, Position } from '@xyflow/react';
import type { Node, NodeProps } from '@xyflow/react';
import type { JSX } from 'react';
import { Status } from '../../../parts/status.tsx';
import type { LaidOutNode } from '../../../graph/lay-out.ts';
import type { NodeState } from './node-states.ts';

interface NodeData extends Omit<LaidOutNode, 'x' | 'y'>, Record<string, unknown> {
  /** `null` if the run has not reached the node. */
  readonly state: NodeState | null;
  readonly isChosen: boolean;
  readonly onChoose: (node: string) => void;
  readonly onOpen: (node: string) => void;
}

export type FlowNode = Node<NodeData, 'holdfast'>;

/** A node of a graph, as a button that opens its panel. */
export function GraphNode({ data }: NodeProps<FlowNode>): JSX.Element {
  const { kind, about } = data;
  return (
    <>
      {kind !== 'start' && <Handle type="target" position={Position.Top} isConnectable={false} />}
      {kind === 'node' ? <NodeBody data={data} /> : <div className="graph-point">{about}</div>}
      {kind !== 'end' && <Handle type="source" position={Position.Bottom} isConnectable={false} />}
    </>
  );
}

function NodeBody({ data }: { readonly data: NodeData }): JSX.Element {
  const { id, about, inner, state, isChosen, onChoose, onOpen } = data;
  return (
    <div className={`graph-node ${state?.status ?? 'untouched'}${isChosen ? ' chosen' : ''}`}>
      <button
        type="button"
        className="graph-node-main nodrag nopan"
        aria-pressed={isChosen}
        onClick={() => onChoose(id)}
      >
        <strong>{id}</strong>
        <span className="graph-node-about">{about}</span>
        <span className="graph-node-state">
          {state ? <Status of={state.status} /> : <span className="for-readers">not visited</span>}
          {state && state.visits > 1 && (
            <span className="graph-node-count">
              ×{state.visits}
              <span className="for-readers"> visits</span>
            </span>
          )}
          {state && state.elements.length > 0 && <Elements elements={state.elements} />}
        </span>
      </button>
      {inner !== null && (
        <button
          type="button"
          className="graph-node-open nodrag nopan"
          aria-label={`Open the graph inside ${id}`}
          onClick={() => onOpen(id)}
        >
          ⤢
        </button>
      )}
    </div>
  );
}

/** The progress of a node that runs for each element of a list. */
function Elements({ elements }: Pick<NodeState, 'elements'>): JSX.Element {
  const ready = elements.filter(({ status }) => status === 'completed' || status === 'skipped').length;
  return (
    <span className="graph-node-count">
      {ready}/{elements.length}
      <span className="for-readers"> elements are done</span>
    </span>
  );
}
