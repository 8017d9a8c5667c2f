import { TICKET } from './schemas.ts';

/** The state of the graph while it handles a ticket. */
export const CHANNELS = {
  ticket: { description: "The customer's mail.", schema: TICKET },
  automaticLimit: {
    default: 100,
    schema: { type: 'number' },
    description: 'Up to this amount (USD) a refund that raises no concern needs no person.',
  },
  classification: { description: 'What the model read in the ticket.' },
  orderNumbers: { reducer: 'union', description: 'Each order that the ticket names, once.' },
  amountAsked: { description: 'The amount that the customer names, or null.' },
  order: { description: 'The order as the shop knows it, or null.' },
  amountLeft: { description: 'What of the order has not been paid back yet.' },
  amount: { description: 'What is to be refunded: what was asked for, at most what is left.' },
  concerns: {
    reducer: { expr: 'update.filter(concern, concern != null)' },
    default: [],
    description: 'Why the policy wants a person to decide; empty: it does not.',
  },
  lookupDecision: { description: 'Whether a person has looked the order up.' },
  decision: { description: 'What the approver decided.' },
  amountRefunded: { default: 0, schema: { type: 'number', minimum: 0 } },
  situation: { description: 'What there is to tell the customer.' },
  facts: { description: 'All that a reply may say.' },
  draft: { description: 'The reply as it stands.' },
  verdict: { description: 'What the compliance check said of the draft.' },
  revisions: { reducer: 'sum', description: 'How often the draft was revised.' },
  handOverReason: { description: "Why a person was asked to do the machine's work." },
  answeredBy: { default: 'model', schema: { enum: ['model', 'person'] } },
  outcome: {},
  answer: {},
} as const;
