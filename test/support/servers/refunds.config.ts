import { defineConfig, defineTool } from 'holdfast';
import { z } from 'zod';

const { AGENT_MODEL_URL = '', AGENT_TOOLS_URL = '' } = process.env;

const WHEN = { when: 'args.?euros.orValue(0) > 100' } as const;

const refund = (name: string, parameters: z.ZodType) =>
  defineTool({ name, description: 'Pay back', effect: 'keyed', parameters, approval: WHEN, execute: (args) => args });

/** Tools that refund the amount that their schemas return, and require an approval above 100. */
export default defineConfig({
  models: { scripted: { provider: 'openai-compatible', model: 'm', baseUrl: AGENT_MODEL_URL } },
  tools: [
    refund('refund', z.object({ order: z.string().trim(), euros: z.number().default(500) })),
    refund(
      'refund_cents',
      z.object({ cents: z.number() }).transform(({ cents }) => ({ euros: cents / 100, by: Math.random() })),
    ),
    {
      name: 'work',
      description: 'Does a job',
      parameters: {
        type: 'object',
        properties: { job: { type: 'string', default: 'a' }, euros: { type: 'number', default: 500 } },
        additionalProperties: false,
      },
      method: 'POST',
      url: `${AGENT_TOOLS_URL}/work`,
      effect: 'keyed',
      approval: WHEN,
    },
  ],
  http: { allow: [new URL(AGENT_MODEL_URL).host, new URL(AGENT_TOOLS_URL).host] },
});
