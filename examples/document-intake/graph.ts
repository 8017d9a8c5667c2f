import { END, START, StateGraph } from 'holdfast';

const INVOICE = {
  type: 'object',
  properties: {
    supplier: { type: 'string' },
    number: { type: 'string' },
    euros: { type: 'number' },
    sure: { type: 'boolean', description: 'False if a part of the picture can not be read.' },
  },
  required: ['supplier', 'number', 'euros', 'sure'],
  additionalProperties: false,
} as const;

/** Reads the picture of an invoice, lets a person correct what the model is not sure of, and files it. */
export const documentIntake = new StateGraph({
  name: 'document-intake',
  channels: { pages: { reducer: 'messages' }, invoice: {}, decision: {}, entry: {} },
  input: ['pages'],
  required: ['pages'],
  output: ['invoice', 'entry'],
})
  .addNode('read', {
    type: 'llm',
    system: 'You read invoices. Take numbers as they are printed.',
    messages: 'pages',
    output: INVOICE,
    write: { invoice: '{{ result.object }}' },
  })
  .addNode('correct', {
    type: 'approval',
    title: 'Is this what the invoice of {{ state.invoice.supplier }} says?',
    args: '{{ state.invoice }}',
    argsSchema: INVOICE,
    policy: { roles: ['approver'] },
    write: { decision: '{{ result.decision }}', invoice: '{{ result.args }}' },
  })
  .addNode('file', {
    type: 'tool',
    tool: 'file_invoice',
    args: {
      supplier: '{{ state.invoice.supplier }}',
      number: '{{ state.invoice.number }}',
      euros: '{{ state.invoice.euros }}',
    },
    write: 'entry',
  })
  .addEdge(START, 'read')
  .addBranches('read', [{ when: 'state.invoice.sure && state.invoice.euros < 1000.0', to: 'file' }, { to: 'correct' }])
  .addBranches('correct', [{ when: "state.decision == 'approved'", to: 'file' }, { to: END }])
  .addEdge('file', END);
