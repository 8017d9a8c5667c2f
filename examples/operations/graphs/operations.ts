import { END, START, StateGraph } from 'holdfast';

/** Answers questions about services, and restarts them by the other graph. */
export const operations = new StateGraph({
  name: 'operations',
  channels: { messages: { reducer: 'messages' }, answer: {} },
  input: ['messages'],
  required: ['messages'],
  output: ['answer'],
})
  .addNode('assist', {
    type: 'agent',
    system: 'You help the people on call. Look at the service before you restart it. Say what you did.',
    messages: 'messages',
    tools: ['read_metrics', { graph: 'restart-service' }],
    maxIterations: 6,
    write: { answer: '{{ result.text }}' },
  })
  .addSequence([START, 'assist', END]);
