/** Who is signed in, by the claims of a token. */
export interface Person {
  readonly token: string;
  readonly sub: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}

/** The names of claims, as the API reads them. */
export interface ClaimNames {
  readonly tenant: string;
  readonly roles: string;
}

/**
 * Reads a token's claims, to show them; the API alone checks it.
 * @throws Error for what is no JWT
 */
export function readPerson(token: string, names: ClaimNames): Person {
  const claims = readClaims(token);
  const { sub, [names.tenant]: tenant, [names.roles]: roles } = claims;
  return {
    token,
    sub: typeof sub === 'string' ? sub : '',
    tenant: typeof tenant === 'string' ? tenant : '',
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
  };
}

function readClaims(token: string): Readonly<Record<string, unknown>> {
  const payload = token.split('.')[1];
  if (payload === undefined) throw new Error('This is no token: a JWT has three parts, with dots between them');
  try {
    const bytes = Uint8Array.from(
      atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
      (c) => c.codePointAt(0) ?? 0,
    );
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims === 'object' && claims !== null) return { ...claims };
  } catch (cause) {
    throw new Error('This is no token: its claims can’t be read', { cause });
  }
  throw new Error('This is no token: its claims are no object');
}
