import { z } from 'zod';

/** The console as a client of the issuer: OpenID Connect, the code flow with PKCE, without a secret. */
const Console = z.strictObject({
  clientId: z.string().min(1),
  scope: z.string().default('openid'),
  parameters: z.record(z.string(), z.string()).default({}),
  origins: z.array(z.url().transform((url) => new URL(url).origin)).default([]),
});

/** The tokens that the API accepts, and who signs them. */
export const Auth = z
  .strictObject({
    /** The `iss` of tokens. */
    issuer: z.string().min(1),
    /** The `aud` of tokens. */
    audience: z.string().min(1),
    /** The address of the keys. */
    jwksUrl: z.url(),
    /** The names of the claims. */
    claims: z.strictObject({ tenant: z.string().default('tenant'), roles: z.string().default('roles') }).prefault({}),
    /** How the console signs people in; the issuer must be a URL then. */
    console: Console.optional(),
  })
  .refine((auth) => auth.console === undefined || URL.canParse(auth.issuer), {
    path: ['issuer'],
    message: 'must be a URL, because the console signs in there',
  });

export type AuthConfig = z.output<typeof Auth>;
