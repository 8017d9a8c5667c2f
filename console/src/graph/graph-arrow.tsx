import { BaseEdge } from '@xyflow/react';
import type { Edge, EdgeProps } from '@xyflow/react';
import type { JSX } from 'react';
import { toPath } from './lay-out.ts';
import type { Point } from './lay-out.ts';

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
