import { defineConfig } from 'holdfast';

const { ANTHROPIC_API_KEY, AUTH_AUDIENCE, AUTH_ISSUER, AUTH_JWKS_URL, GRAPH_TENANTS, OPENAI_API_KEY } = process.env;
const modelUrl = process.env['HOLDFAST_MODEL_URL'] || 'http://127.0.0.1:18302/v1';
const shopUrl = process.env['SHOP_URL'] || 'http://127.0.0.1:18301';

/** As `http.allow` names places: with the port, also where a URL leaves it out. */
function placeOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** A real model where there is a key for one, else the scripted model of `npm start`. */
function chooseModel() {
  if (OPENAI_API_KEY)
    return {
      provider: 'openai',
      model: 'gpt-5-mini',
      apiKey: { secret: 'OPENAI_API_KEY' },
      price: { input: 0.25, output: 2 },
    } as const;
  if (ANTHROPIC_API_KEY)
    return {
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      apiKey: { secret: 'ANTHROPIC_API_KEY' },
      price: { input: 1, output: 5 },
    } as const;
  return {
    provider: 'openai-compatible',
    model: 'scripted',
    baseUrl: modelUrl,
    price: { input: 1, output: 2 },
  } as const;
}

export default defineConfig({
  models: { default: chooseModel() },
  tools: [
    {
      name: 'lookup_order',
      description: 'Find an order by its number.',
      parameters: {
        type: 'object',
        properties: { number: { type: 'string' } },
        required: ['number'],
        additionalProperties: false,
      },
      method: 'GET',
      url: `${shopUrl}/orders`,
      headers: { authorization: { secret: 'SHOP_AUTHORIZATION' } },
      effect: 'idempotent',
      timeout: '10s',
    },
    {
      name: 'issue_refund',
      description: 'Pay back an amount of an order, once for each idempotency key.',
      parameters: {
        type: 'object',
        properties: {
          order: { type: 'string' },
          amount: { type: 'number', exclusiveMinimum: 0 },
          reason: { type: 'string' },
        },
        required: ['order', 'amount', 'reason'],
        additionalProperties: false,
      },
      method: 'POST',
      url: `${shopUrl}/refunds`,
      headers: { authorization: { secret: 'SHOP_AUTHORIZATION' } },
      effect: 'keyed',
      timeout: '10s',
    },
  ],
  graphs: GRAPH_TENANTS ? { folder: './graphs', tenants: GRAPH_TENANTS.split(',') } : './graphs',
  http: { allow: [placeOf(shopUrl), placeOf(modelUrl)] },
  // `npm start` has an issuer of its own; the API as a process of its own needs one.
  ...(AUTH_ISSUER &&
    AUTH_AUDIENCE &&
    AUTH_JWKS_URL && { auth: { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, jwksUrl: AUTH_JWKS_URL } }),
});
