import { END, START, StateGraph } from 'holdfast';

/** Three agents share one conversation: the first finds out what is wanted, and hands over to one of the others. */
export const supportDesk = new StateGraph({
  name: 'support-desk',
  channels: { messages: { reducer: 'messages' }, customer: { schema: { type: 'string' } }, answer: {} },
  input: ['messages', 'customer'],
  required: ['messages', 'customer'],
  output: ['answer'],
  limits: { maxSteps: 12, maxToolCalls: 20 },
})
  .addNode('front', {
    type: 'agent',
    description: 'Everything else, and questions of another kind',
    system: 'You greet customers, and find out what they want. Hand over as soon as you know it.',
    messages: 'messages',
    handoff: ['billing', 'tech'],
    write: { answer: '{{ result.text }}' },
  })
  .addNode('billing', {
    type: 'agent',
    description: 'Invoices, payments and refunds',
    system: 'You settle payments of the customer {{ state.customer }}. Look an order up before you pay it back.',
    messages: 'messages',
    tools: ['lookup_order', 'issue_refund'],
    handoff: ['front'],
    write: { answer: '{{ result.text }}' },
  })
  .addNode('tech', {
    type: 'agent',
    description: 'Things that do not work',
    system: 'You find out why something does not work.',
    messages: 'messages',
    tools: ['read_manual'],
    handoff: ['front'],
    write: { answer: '{{ result.text }}' },
  })
  .addEdge(START, 'front')
  .addEdge('front', END)
  .addEdge('billing', END)
  .addEdge('tech', END);
