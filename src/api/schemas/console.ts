import { z } from '@hono/zod-openapi';

const CONSOLE_EXAMPLE = {
  issuer: 'https://login.example',
  clientId: 'holdfast-console',
  scope: 'openid',
  parameters: { audience: 'holdfast' },
  claims: { tenant: 'tenant', roles: 'roles' },
  features: { localSignIn: false, forking: true },
  version: '0.1.0',
};

export const ConsoleSchema = z
  .object({
    issuer: z
      .string()
      .nullable()
      .openapi({ description: 'Where people sign in; null: by a token or a local code only' }),
    clientId: z.string().nullable(),
    scope: z.string(),
    parameters: z
      .record(z.string(), z.string())
      .openapi({ description: 'Further parameters of the request for a code, such as `audience`' }),
    claims: z.object({ tenant: z.string(), roles: z.string() }),
    features: z.object({ localSignIn: z.boolean(), forking: z.boolean() }),
    version: z.string(),
  })
  .openapi('Console', { example: CONSOLE_EXAMPLE });

/** In characters. */
const MAX_CODE = 2_000;

export const LocalCodeSchema = z
  .strictObject({ code: z.string().min(1).max(MAX_CODE) })
  .openapi('LocalCode', { example: { code: 'eyJhbGciOiJFUzI1NiJ9…' } });

export const LocalTokensSchema = z
  .object({ tokens: z.array(z.string()).readonly() })
  .openapi('LocalTokens', { example: { tokens: ['eyJhbGciOiJFUzI1NiJ9…'] } });
