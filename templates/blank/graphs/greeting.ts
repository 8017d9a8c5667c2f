import { END, START, StateGraph } from 'holdfast';

/** Greets a person. */
export const greeting = new StateGraph({
  name: 'greeting',
  channels: { name: { schema: { type: 'string' } }, greeting: { schema: { type: 'string' } } },
  input: ['name'],
  required: ['name'],
  output: ['greeting'],
})
  .addNode('greet', {
    type: 'tool',
    tool: 'greet',
    args: { name: '{{ state.name }}' },
    write: { greeting: '{{ result }}' },
  })
  .addSequence([START, 'greet', END]);
