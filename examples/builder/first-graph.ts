import { END, START, StateGraph } from 'holdfast';

export const orderSummary = new StateGraph({
  name: 'order-summary',
  channels: { number: { schema: { type: 'string' } }, order: {}, summary: {} },
  input: ['number'],
  output: ['summary'],
})
  .addNode('lookup', {
    type: 'tool',
    tool: 'lookup_order',
    args: { number: '{{ state.number }}' },
    write: { order: '{{ result.orders[0] }}' },
  })
  .addNode('summarize', { type: 'set', write: { summary: '{{ state.order.item }} for {{ state.order.customer }}' } })
  .addSequence([START, 'lookup', 'summarize', END]);

/** What `POST /api/graphs` takes. */
export const definition = orderSummary.compile();
