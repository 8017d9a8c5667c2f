/** What the form of a webhook asks for, besides its events. */
export const WEBHOOK_SCHEMA = {
  type: 'object',
  required: ['url', 'format'],
  properties: {
    url: { type: 'string', format: 'uri', title: 'Address', description: 'Where messages are posted to' },
    format: {
      title: 'Messages',
      oneOf: [
        { const: 'standard', title: 'JSON with signatures (Standard Webhooks)' },
        { const: 'slack', title: 'For an incoming webhook of Slack' },
      ],
    },
    secret: {
      type: 'string',
      title: 'Secret',
      description: 'whsec_ and 24 to 64 bytes in base64; without one it is made',
    },
    linkBase: {
      type: 'string',
      format: 'uri',
      title: 'Links begin with',
      description: 'Of messages for Slack, such as the address of this console',
    },
  },
} as const;
