import type { ConfigInput } from '../../src/config/load-config.ts';
import type { HttpToolInput } from '../../src/config/tool.ts';

/** The tools of chaos runs: the same third party with all three effects, and a model. */

const { THIRD_PARTY_URL = '', MODEL_URL = '', CONTINUE_AFTER = '4000' } = process.env;
const { AUTH_ISSUER = '', AUTH_AUDIENCE = '', AUTH_JWKS_URL = '' } = process.env;

const retry = { maxAttempts: 6, initialInterval: '100ms', maxInterval: '1s' };

type Effect = 'idempotent' | 'keyed' | 'unsafe';

function aTool(name: string, effect: Effect, execution: HttpToolInput['execution'] = 'activity'): HttpToolInput {
  return {
    name,
    description: `Does a job (${effect})`,
    parameters: { type: 'object', properties: { job: { type: 'string' } }, required: ['job'] },
    method: 'POST',
    url: `${THIRD_PARTY_URL}/${name}`,
    effect,
    execution,
    timeout: '2s',
    retry,
  };
}

const config: ConfigInput = {
  models: {
    default: { provider: 'openai-compatible', model: 'scripted', baseUrl: MODEL_URL, timeout: '3s', retry },
  },
  tools: [
    aTool('look', 'idempotent'),
    aTool('peek', 'idempotent', 'local'),
    aTool('order', 'keyed'),
    aTool('undo', 'keyed'),
    aTool('pay', 'unsafe'),
    aTool('refuse', 'keyed'),
  ],
  http: { allow: [new URL(THIRD_PARTY_URL).host, new URL(MODEL_URL).host] },
  auth: { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, jwksUrl: AUTH_JWKS_URL },
  // A killed worker is detected soon.
  defaults: { heartbeatTimeout: '2s', maxSteps: 300, continueAfter: Number(CONTINUE_AFTER) },
};

export default config;
