import { END, StateGraph } from 'holdfast';

const desk = new StateGraph({ name: 'desk' })
  .addChannel('ticket', { schema: { type: 'string' } })
  .addChannel('kind', { schema: { enum: ['question', 'complaint', 'spam'] } })
  .addChannel('sources', { default: ['handbook', 'forum'], schema: { type: 'array', items: { type: 'string' } } })
  .addChannel('findings', { reducer: 'append' })
  .addChannel('answer', {})
  .addNode('classify', { type: 'llm', prompt: 'Classify: {{ state.ticket }}', write: { kind: '{{ result.text }}' } })
  .addNode('plan', { type: 'function', function: 'plan', args: '{{ state.ticket }}', write: 'sources' })
  .addNode('search', { type: 'tool', tool: 'search', args: { in: '{{ item }}' }, write: 'findings' })
  .addNode('apologize', { type: 'set', write: { findings: 'We are sorry.' } })
  .addNode('write', { type: 'llm', prompt: '{{ json(state.findings) }}', write: { answer: '{{ result.text }}' } })
  .addNode('check', { type: 'function', function: 'check', args: '{{ state.answer }}' })
  .addNode('file', { type: 'tool', tool: 'file', args: '{{ state.answer }}' })
  .addNode('notify', { type: 'set' });

desk
  .setEntryPoint('classify')
  .addConditionalEdges('classify', 'state.kind', { question: 'plan', complaint: ['apologize', 'plan'] }, END)
  .addForEach('plan', 'state.sources', 'search', { maxConcurrency: 2 })
  .addEdge('search', 'write')
  .addEdge('write', ['check', 'file'])
  .addEdge(['check', 'file'], 'notify')
  .addBranches('notify', [{ when: 'size(state.findings) == 0', to: 'plan' }, { to: END }]);

desk.interruptBefore('file').limits({ maxSteps: 40, deadline: '10m' }).output('answer');

export { desk };
