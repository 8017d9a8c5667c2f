import { expect, test } from 'vitest';
import { createSourceLocator } from '../../../../src/cli/input/source-locations.ts';

const locate = createSourceLocator(`import { pay } from './tools.ts';

export const refund = new StateGraph({ name: 'refund', channels: { euros: {} } })
  .addNode('repay', { type: 'tool', tool: 'other' })
  .addNode('pay', {
    type: 'tool',
    args: { euros: '{{ state.euro }}' },
  });
`);

test.each([
  ['/nodes/pay', 5, 13],
  ['/nodes/pay/args/euros', 7, 13],
  ['/nodes/pay/retry', 5, 13],
  ['/edges/0/to', 3, 23],
  ['', 3, 23],
])('%s is found in the code that builds a graph', (pointer, line, column) => {
  expect(locate(pointer)).toEqual({ line, column });
});
