import { END, START, StateGraph } from 'holdfast';

/** Looks up an order, asks a person about refunds over 100 euros, and pays. */
export const refund = new StateGraph({
  name: 'refund',
  channels: {
    order: { schema: { type: 'string' } },
    euros: { schema: { type: 'number' } },
    total: { schema: { type: 'number' } },
    decision: { schema: { type: 'string' } },
    receipt: { schema: { type: 'string' } },
    answer: { schema: { type: 'string' } },
  },
  input: ['order', 'euros'],
  required: ['order', 'euros'],
  output: ['receipt', 'answer'],
})
  .addNode('lookup', {
    type: 'tool',
    tool: 'lookup_order',
    args: { order: '{{ state.order }}' },
    write: { total: '{{ result.total }}' },
  })
  .addNode('ask', {
    type: 'approval',
    title: 'Pay back {{ state.euros }} euros for {{ state.order }}?',
    args: { euros: '{{ state.euros }}' },
    policy: { roles: ['approver'], excludeRequester: true },
    timeout: '2d',
    onTimeout: 'reject',
    write: { decision: '{{ result.decision }}', euros: '{{ result.args.euros }}' },
  })
  .addNode('pay', {
    type: 'tool',
    tool: 'issue_refund',
    args: { order: '{{ state.order }}', euros: '{{ state.euros }}' },
    onError: 'intervene',
    write: { receipt: '{{ result.receipt }}', answer: '{{ state.euros }} euros are on their way.' },
  })
  .addNode('refuse', { type: 'set', write: { answer: 'We cannot pay this back.' } })
  .addEdge(START, 'lookup')
  .addBranches('lookup', [
    { when: 'state.euros > state.total', to: 'refuse' },
    { when: 'state.euros > 100.0', to: 'ask' },
    { to: 'pay' },
  ])
  .addBranches('ask', [{ when: 'state.decision == "approved"', to: 'pay' }, { to: 'refuse' }])
  .addEdge('pay', END)
  .addEdge('refuse', END);
