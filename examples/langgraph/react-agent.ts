import { END, START, StateGraph } from 'holdfast';

export const desk = new StateGraph({
  name: 'desk',
  channels: { messages: { reducer: 'messages' }, answer: {} },
  input: ['messages'],
  output: ['answer'],
})
  .addNode('settle', {
    type: 'agent',
    messages: 'messages',
    tools: ['lookup_order', 'issue_refund'],
    approve: { issue_refund: 'args.amount > 100' },
    write: { answer: '{{ result.text }}' },
  })
  .addSequence([START, 'settle', END]);
