import type { Json } from '../../src/graph/values/json.ts';
import { at, listAt } from '../support/readers/json-at.ts';

/** @param state a status, such as `paused`, or that of a node which waits, such as `waiting:payment` */
export function hasState(run: Json, state: string): boolean {
  const [status, node] = state.split(':');
  if (at(run, '/status') !== status) return false;
  return node === undefined || listAt(run, '/waitingFor').some((one) => at(one, '/node') === node);
}
