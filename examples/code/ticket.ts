import { END, START, StateGraph } from 'holdfast';

/** Scores a ticket, and shortens its answer as long as code asks for it. */
export const ticket = new StateGraph({
  name: 'ticket',
  channels: { subject: {}, since: {}, draft: {}, score: {}, round: { default: 1 }, verdict: {} },
  input: ['subject', 'since', 'draft'],
  output: ['score', 'draft', 'verdict'],
})
  .addNode('score', {
    type: 'function',
    function: 'score_ticket',
    args: { subject: '{{ state.subject }}', customerSince: '{{ state.since }}' },
    write: 'score',
  })
  .addNode('check', {
    type: 'function',
    function: 'check_draft',
    args: { draft: '{{ state.draft }}', round: '{{ state.round }}' },
    mayGoto: ['shorten'],
  })
  .addNode('shorten', { type: 'set', write: { draft: '{{ state.draft.substring(0, size(state.draft) / 2) }}' } })
  .addSequence([START, 'score', 'check', END])
  .addEdge('shorten', 'check');
