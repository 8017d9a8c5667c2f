/** What tells the tasks of a superstep apart: the node's id, with `#n` for the n-th element of a list. */
export function taskKey(node: string, index?: number): string {
  return index === undefined ? node : `${node}#${index}`;
}
