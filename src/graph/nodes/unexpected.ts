import type { NodePosition } from './position.ts';

/** The interpreter lost its place; the run fails with `INTERNAL` and stays readable. */
export function unexpected(position: NodePosition): TypeError {
  return new TypeError(`A task at position "${position.kind}" was given what it does not wait for`);
}

export function nothingToResume(_task: unknown, position: NodePosition): never {
  throw unexpected(position);
}
