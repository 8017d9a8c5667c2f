import { END, START, StateGraph } from 'holdfast';

/** What one region has sold, in a sentence of a model. */
const region = new StateGraph({
  name: 'region-report',
  channels: { region: {}, day: {}, sales: {}, note: {} },
  input: ['region', 'day'],
  output: ['region', 'sales', 'note'],
})
  .addNode('read', {
    type: 'tool',
    tool: 'read_sales',
    args: { region: '{{ state.region }}', day: '{{ state.day }}' },
    write: 'sales',
  })
  .addNode('describe', {
    type: 'llm',
    prompt:
      'Region {{ state.region }}: {{ state.sales.orders }} orders, {{ state.sales.euros }} euros, the week before {{ state.sales.before }}. What stands out?',
    output: {
      type: 'object',
      properties: { sentence: { type: 'string' }, unusual: { type: 'boolean' } },
      required: ['sentence', 'unusual'],
      additionalProperties: false,
    },
    write: { note: '{{ result.object }}' },
  })
  .addSequence([START, 'read', 'describe', END]);

/** Reads all regions, two at a time, puts their reports together, and mails them. */
export const nightlyReport = new StateGraph({
  name: 'nightly-report',
  channels: {
    day: { schema: { type: 'string', format: 'date' } },
    regions: { schema: { type: 'array', items: { type: 'string' }, maxItems: 50 } },
    parts: { reducer: 'append' },
    missing: { reducer: 'append' },
    text: {},
    mail: {},
  },
  input: ['day', 'regions'],
  required: ['day', 'regions'],
  output: ['text', 'missing', 'mail'],
})
  .addNode('one', {
    type: 'subgraph',
    graph: region.compile(),
    input: { region: '{{ item }}', day: '{{ state.day }}' },
    onError: { to: 'summarize', write: { missing: '{{ item }}' } },
    write: { parts: '{{ result }}' },
  })
  .addNode('summarize', {
    type: 'set',
    write: {
      text: "{{ state.parts.map(part, (part.note.unusual ? '! ' : '') + part.region + ': ' + part.note.sentence).join('\\n') }}",
    },
  })
  .addNode('send', {
    type: 'tool',
    tool: 'send_mail',
    args: { to: 'sales@shop.example', subject: 'Sales of {{ state.day }}', text: '{{ state.text }}' },
    write: 'mail',
  })
  .addForEach(START, 'state.regions', 'one', { maxConcurrency: 2 })
  .addSequence(['one', 'summarize', 'send', END]);
