import type { Diagram, Shape } from './diagram.ts';

/** Lists of targets repeat a label: a definition of 1 MiB has arrows whose text takes hundreds of times as much. */
const MAX_ARROWS = 5_000;

/** Leaves out the arrows beyond so many, and draws how many these are. */
export function boundArrows(diagram: Diagram): Diagram {
  const room = { left: MAX_ARROWS };
  const bounded = keepArrows(diagram, room);
  return room.left < 0 ? { ...bounded, shapes: [...bounded.shapes, omitted(-room.left)] } : bounded;
}

function keepArrows({ shapes, arrows }: Diagram, room: { left: number }): Diagram {
  const kept = arrows.slice(0, Math.max(0, room.left));
  room.left -= arrows.length;
  return {
    shapes: shapes.map((shape) => (shape.inner ? { ...shape, inner: keepArrows(shape.inner, room) } : shape)),
    arrows: kept,
  };
}

function omitted(count: number): Shape {
  return {
    key: 'omitted',
    kind: 'node',
    outline: 'stadium',
    fill: 'FFFFFF',
    lines: [`${count} more arrows are not drawn`],
    isDeferred: false,
    mark: 'none',
    inner: null,
  };
}
