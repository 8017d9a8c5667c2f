import { START, StateGraph } from 'holdfast';

const graph = new StateGraph({
  name: 'mistakes',
  channels: { amount: { schema: { type: 'number' } }, log: { reducer: 'append' } },
}).addNode('measure', { type: 'set', write: { amount: '{{ size(state.log) }}', log: 'measured' } });

/** None of these compiles. */
export const mistakes = [
  // @ts-expect-error no node is named "measures"
  () => graph.addEdge(START, 'measures'),
  // @ts-expect-error no channel is named "amounts"
  () => graph.addNode('set', { type: 'set', write: { amounts: 1 } }),
  // @ts-expect-error a number does not take this text
  () => graph.addNode('set', { type: 'set', write: { amount: 'a lot' } }),
  // @ts-expect-error there is a node "measure"
  () => graph.addNode('measure', { type: 'set' }),
  // @ts-expect-error a set node has no field "tool"
  () => graph.addNode('set', { type: 'set', tool: 'lookup' }),
];
