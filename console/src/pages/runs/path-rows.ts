/** A superstep of two runs. */
interface PathRow {
  /** Counts from 1. */
  readonly number: number;
  /** The nodes; empty if the run has ended before. */
  readonly left: string;
  readonly right: string;
  readonly isSame: boolean;
}

type Path = readonly (readonly string[])[];

/** Pairs the supersteps of two runs. */
export function pathRows(left: Path, right: Path): readonly PathRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [one, other] = [left, right].map((path) => path[index]?.join(', ') ?? '');
    return { number: index + 1, left: one ?? '', right: other ?? '', isSame: one === other };
  });
}
