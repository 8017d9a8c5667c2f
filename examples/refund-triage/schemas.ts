/** The schemas of a ticket, and of the answers of models and people. */
export const TICKET = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 1 },
    from: { type: 'string' },
    subject: { type: 'string' },
    body: { type: 'string' },
  },
  required: ['id', 'from', 'subject', 'body'],
} as const;

export const CLASSIFICATION = {
  type: 'object',
  properties: {
    intent: { type: 'string', enum: ['refund', 'other'] },
    orderNumbers: { type: 'array', items: { type: 'string' } },
    amount: { type: ['number', 'null'] },
    currency: { type: ['string', 'null'] },
    language: { type: 'string' },
    summary: { type: 'string' },
  },
  required: ['intent', 'orderNumbers', 'amount', 'currency', 'language', 'summary'],
  additionalProperties: false,
} as const;

export const VERDICT = {
  type: 'object',
  properties: { verdict: { type: 'string', enum: ['pass', 'fail'] }, reason: { type: 'string' } },
  required: ['verdict', 'reason'],
  additionalProperties: false,
} as const;

export const FOUND_ORDER = {
  type: 'object',
  properties: {
    order: {
      type: ['object', 'null'],
      properties: {
        customer: { type: 'string', description: 'The mail address of the customer' },
        item: { type: 'string' },
        total: { type: 'number', minimum: 0 },
        currency: { type: 'string' },
        refunded: { type: 'number', minimum: 0 },
      },
      required: ['customer', 'item', 'total', 'currency', 'refunded'],
    },
  },
  required: ['order'],
  additionalProperties: false,
} as const;

export const REFUND_ARGS = {
  type: 'object',
  properties: {
    order: { type: 'string' },
    amount: { type: 'number', minimum: 0.01, maximum: 10000, multipleOf: 0.01 },
  },
  required: ['order', 'amount'],
  additionalProperties: false,
} as const;

export const WRITTEN_REPLY = {
  type: 'object',
  properties: { message: { type: 'string', minLength: 1 } },
  required: ['message'],
  additionalProperties: false,
} as const;
