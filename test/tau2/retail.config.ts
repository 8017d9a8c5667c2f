import type { ConfigInput } from '../../src/config/load-config.ts';
import type { HttpToolInput } from '../../src/config/tool.ts';
import { READ_TOOLS, UNDO, WRITE_TOOLS } from './tools.ts';
import type { ToolFacts } from './tools.ts';

/* The tools of a retail agent, all of them HTTP requests to the shop; for each write a person is asked. */

const { SHOP_URL = '', MODEL_URL = '', WRITE_EFFECT = '' } = process.env;
const { AUTH_ISSUER = '', AUTH_AUDIENCE = '', AUTH_JWKS_URL = '' } = process.env;

const retry = { maxAttempts: 6, initialInterval: '100ms', maxInterval: '5s' };

type Terms = Pick<HttpToolInput, 'method' | 'effect' | 'approval'>;

const READ: Terms = { method: 'GET', effect: 'idempotent' };
const WRITE: Terms = {
  method: 'POST',
  effect: WRITE_EFFECT === 'keyed' ? 'keyed' : 'unsafe',
  approval: { policy: { roles: ['approver'], excludeRequester: true } },
};

function toTools(tools: Readonly<Record<string, ToolFacts>>, terms: Terms): HttpToolInput[] {
  return Object.entries(tools).map(([name, { description, parameters: properties }]) => ({
    name,
    description,
    parameters: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
    url: `${SHOP_URL}/${name}`,
    timeout: '10s',
    retry,
    ...terms,
  }));
}

const undo = { description: 'Undo a change of the shop.', parameters: { receipt: { type: 'number' } } };

const config: ConfigInput = {
  models: {
    default: { provider: 'openai-compatible', model: 'scripted', baseUrl: MODEL_URL, timeout: '10s', retry },
  },
  tools: [
    ...toTools(READ_TOOLS, READ),
    ...toTools(WRITE_TOOLS, WRITE),
    ...toTools({ [UNDO]: undo }, { method: 'POST', effect: 'idempotent' }),
  ],
  http: { allow: [new URL(SHOP_URL).host] },
  auth: { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, jwksUrl: AUTH_JWKS_URL },
  // A killed worker is detected soon, and one on a very busy machine is not taken for lost.
  defaults: { heartbeatTimeout: '6s' },
};

export default config;
