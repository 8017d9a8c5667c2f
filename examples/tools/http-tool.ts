import type { ConfigInput } from 'holdfast';

export const bookParcel = {
  name: 'book_parcel',
  description: 'Book the pickup of a parcel.',
  parameters: {
    type: 'object',
    properties: { order: { type: 'string' }, day: { type: 'string', format: 'date' } },
    required: ['order', 'day'],
    additionalProperties: false,
  },
  result: { type: 'object', required: ['pickup'] },
  method: 'POST',
  url: 'https://parcels.example/orders/{{ args.order }}/pickups',
  headers: { authorization: { secret: 'PARCEL_AUTHORIZATION' } },
  effect: 'unsafe',
  timeout: '10s',
  approval: 'always',
} as const satisfies NonNullable<ConfigInput['tools']>[number];
