import { defineConfig, defineTool } from 'holdfast';
import { z } from 'zod';

const { JOBS_URL = '', AUTH_AUDIENCE = '', AUTH_ISSUER = '', AUTH_JWKS_URL = '' } = process.env;

async function tell(job: string, key: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  await fetch(`${JOBS_URL}/work`, { method: 'POST', headers, body: JSON.stringify({ job }) });
}

/** A tool whose schema is slow, and returns different output for the same arguments each time. */
export default defineConfig({
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays',
      parameters: z.object({ job: z.string() }).transform(async ({ job }) => {
        const number = String(Math.random());
        await tell(job, number);
        return { job, number };
      }),
      effect: 'keyed',
      approval: 'always',
      execute: async ({ number }, { key }) => await tell(number, key),
    }),
  ],
  auth: { issuer: AUTH_ISSUER, audience: AUTH_AUDIENCE, jwksUrl: AUTH_JWKS_URL },
  defaults: { heartbeatTimeout: '2s' },
});
