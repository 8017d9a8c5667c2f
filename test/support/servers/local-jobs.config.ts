import { defineConfig } from 'holdfast';

const { JOBS_URL = '', AUTH_AUDIENCE = '', AUTH_ISSUER = '', AUTH_JWKS_URL = '' } = process.env;

/** A tool that the worker of the workflow task calls itself; a killed worker is detected sooner. */
export default defineConfig({
  tools: [
    {
      name: 'work',
      description: 'Does a job',
      parameters: { type: 'object', properties: { job: { type: 'string' } }, required: ['job'] },
      method: 'POST',
      url: `${JOBS_URL}/work`,
      effect: 'idempotent',
      timeout: '10s',
      execution: 'local',
    },
  ],
  http: { allow: [new URL(JOBS_URL).host] },
  auth: { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, jwksUrl: AUTH_JWKS_URL },
  // Histories are so short that the length of one call decides whether the run continues as new.
  defaults: { heartbeatTimeout: '2s', continueAfter: 5 },
});
