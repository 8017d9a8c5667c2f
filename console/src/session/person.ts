/** The person who is signed in, from the claims of the token. */
export interface Person {
  readonly token: string;
  readonly sub: string;
  readonly tenant: string;
  readonly roles: readonly string[];
  /** The expiry of the token, in milliseconds since 1970; `null` if it has none. */
  readonly endsAt: number | null;
}

/** Identifies a person with the same rights, over all of their tokens. */
export function identityOf({ tenant, sub, roles }: Pick<Person, 'tenant' | 'sub' | 'roles'>): string {
  return JSON.stringify([tenant, sub, roles]);
}

/** The names of the claims that the API reads. */
export interface ClaimNames {
  readonly tenant: string;
  readonly roles: string;
}

/**
 * Decodes a token's claims for display. Only the API verifies the token.
 * @throws Error if the token is not a JWT
 */
export function readPerson(token: string, names: ClaimNames): Person {
  const claims = readClaims(token);
  const { sub, exp, [names.tenant]: tenant, [names.roles]: roles } = claims;
  return {
    token,
    sub: typeof sub === 'string' ? sub : '',
    tenant: typeof tenant === 'string' ? tenant : '',
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [],
    endsAt: typeof exp === 'number' ? exp * 1_000 : null,
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

/** The people whose tokens this tab has, and the current one. Only a local stack has several. */
export interface StoredSession {
  readonly people: readonly Person[];
  readonly current: number;
  /** The refresh token; absent if the issuer gave none. */
  readonly refreshToken?: string;
}

const KEY = 'holdfast.session';

/** Reads the session that the tab has stored before a reload. It is deleted with the tab. */
export function loadSession(): StoredSession | null {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? null : readJson<StoredSession>(stored);
}

export function saveSession(session: StoredSession | null): void {
  if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
  else sessionStorage.removeItem(KEY);
}

/** Parses JSON that the console or its API has written. The caller vouches for the type. @throws SyntaxError */
export function readJson<T>(text: string): T;
export function readJson(text: string): unknown {
  return JSON.parse(text);
}
