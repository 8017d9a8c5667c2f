import { END, START, StateGraph } from 'holdfast';

/** Restarts a service once a person has agreed. It is published for itself: an agent may call it like a tool. */
export const restartService = new StateGraph({
  name: 'restart-service',
  description: 'Restarts a service, after a person has agreed.',
  channels: {
    service: { schema: { type: 'string' }, description: 'The name of the service.' },
    why: { schema: { type: 'string' }, description: 'What is wrong with it, in a sentence.' },
    decision: {},
    restarted: {},
  },
  input: ['service', 'why'],
  required: ['service', 'why'],
  output: ['decision', 'restarted'],
})
  .addNode('ask', {
    type: 'approval',
    title: 'Restart {{ state.service }}?',
    details: { why: '{{ state.why }}' },
    policy: { roles: ['approver'], excludeRequester: true },
    timeout: '30m',
    onTimeout: 'reject',
    write: { decision: '{{ result.decision }}' },
  })
  .addNode('restart', {
    type: 'tool',
    tool: 'restart',
    args: { service: '{{ state.service }}' },
    write: 'restarted',
  })
  .addEdge(START, 'ask')
  .addBranches('ask', [{ when: "state.decision == 'approved'", to: 'restart' }, { to: END }])
  .addEdge('restart', END);
