import type { NodeTypes } from '@xyflow/react';
import { useMemo } from 'react';
import type { JSX } from 'react';
import type { Definition } from './definition.ts';
import './diagram.css';
import { DiagramNode } from './diagram-node.tsx';
import type { NodeMark } from './diagram-node.tsx';
import { GraphCanvas } from './graph-canvas.tsx';
import { layOut, sizeOf } from './lay-out.ts';

interface DiagramProps {
  readonly label: string;
  readonly definition: Definition;
  /** How single nodes stand out, by their ids. */
  readonly marks?: ReadonlyMap<string, NodeMark>;
  readonly chosen: string | null;
  readonly onChoose: (node: string | null) => void;
}

const NODE_TYPES: NodeTypes = { shown: DiagramNode };
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
  return (
    <GraphCanvas label={label} drawing={drawing} nodes={nodes} nodeTypes={NODE_TYPES} onLeave={() => onChoose(null)} />
  );
}
