import { z } from 'zod';
import { BUILT_IN_ROLES, PERMISSIONS } from '../graph/definition/index.ts';
import type { Permission, Roles as RoleTable } from '../graph/definition/index.ts';
import { didYouMean } from '../graph/values/index.ts';

/** The console as a client of the issuer: OpenID Connect, authorization code flow with PKCE, without a secret. */
const ConsoleAuth = z.strictObject({
  clientId: z.string().min(1),
  scope: z.string().default('openid'),
  parameters: z.record(z.string(), z.string()).default({}),
  origins: z.array(z.url().transform((url) => new URL(url).origin)).default([]),
});

/** The issuer and the claims of the tokens that the API accepts. */
export const Auth = z
  .strictObject({
    /** The `iss` claim of tokens. */
    issuer: z.string().min(1),
    /** The `aud` claim of tokens. */
    audience: z.string().min(1),
    /** The URL of the public keys. */
    jwksUrl: z.url(),
    /** The names of the claims. */
    claims: z.strictObject({ tenant: z.string().default('tenant'), roles: z.string().default('roles') }).prefault({}),
    /** The sign-in of the console; the issuer must then be a URL. */
    console: ConsoleAuth.optional(),
  })
  .refine((auth) => auth.console === undefined || URL.canParse(auth.issuer), {
    path: ['issuer'],
    message: 'must be a URL, because the console signs in there',
  });

export type AuthConfig = z.output<typeof Auth>;

const PermissionName = z.enum(PERMISSIONS, {
  error: ({ input }) =>
    typeof input === 'string'
      ? `there is no permission "${input}"; known are ${PERMISSIONS.join(', ')}.${didYouMean(input, PERMISSIONS)}`
      : 'must be the name of a permission',
});

/** Roles that extend or replace the built-in ones. The role `admin` may lose all permissions except `admin`. */
export const Roles = z
  .record(z.string(), z.array(PermissionName))
  .superRefine((given, context) => {
    const report = (role: string, message: string): void => context.addIssue({ code: 'custom', path: [role], message });
    if (Object.hasOwn(given, '')) report('', 'a role must have a name');
    if (given['admin']?.includes('admin') === false)
      report('admin', 'must keep the permission "admin": without it nobody administers the installation');
  })
  .transform(
    (given): RoleTable => new Map<string, readonly Permission[]>([...BUILT_IN_ROLES, ...Object.entries(given)]),
  );
