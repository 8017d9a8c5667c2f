import { defineConfig } from 'holdfast';

const {
  AGENT_MODEL_URL = '',
  AGENT_TOOLS_URL = '',
  AUTH_AUDIENCE = '',
  AUTH_ISSUER = '',
  AUTH_JWKS_URL = '',
} = process.env;

const tool = (name: string, effect: 'keyed' | 'unsafe') =>
  ({
    name,
    description: `Does a job: ${name}`,
    parameters: { type: 'object', properties: { job: { type: 'string' } }, required: ['job'] },
    method: 'POST',
    url: `${AGENT_TOOLS_URL}/${name}`,
    effect,
    approval: 'never',
  }) as const;

/** Agents with a model and tools of a test; a killed worker is detected sooner. */
export default defineConfig({
  models: { default: { provider: 'openai-compatible', model: 'm', baseUrl: AGENT_MODEL_URL } },
  tools: [tool('work', 'keyed'), tool('send', 'unsafe')],
  http: { allow: [new URL(AGENT_MODEL_URL).host, new URL(AGENT_TOOLS_URL).host] },
  auth: { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, jwksUrl: AUTH_JWKS_URL },
  defaults: { heartbeatTimeout: '15s' },
});
