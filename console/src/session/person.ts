/** Who is signed in, by the claims of a token. */
export interface Person {
  readonly token: string;
  readonly sub: string;
  readonly tenant: string;
  readonly roles: readonly string[];
  /** When the token ends, in milliseconds; `null`: it does not say. */
  readonly endsAt: number | null;
}

/** Says if two tokens are of the same person, who may do the same. */
export function identityOf({ tenant, sub, roles }: Pick<Person, 'tenant' | 'sub' | 'roles'>): string {
  return JSON.stringify([tenant, sub, roles]);
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

/** The people whose tokens this tab has, and which of them uses it. Only a local stack gives several. */
export interface StoredSession {
  readonly people: readonly Person[];
  readonly current: number;
  /** Gets another token from the issuer; absent: it gave none. */
  readonly refreshToken?: string;
}

const KEY = 'holdfast.session';

/** Reads what a reload of the tab has left. Another tab has none of it, and it goes with the tab. */
export function loadSession(): StoredSession | null {
  const stored = sessionStorage.getItem(KEY);
  return stored === null ? null : readJson<StoredSession>(stored);
}

export function saveSession(session: StoredSession | null): void {
  if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
  else sessionStorage.removeItem(KEY);
}

/** Reads JSON of this console's own, or of its API. Its type is the caller's. @throws SyntaxError */
export function readJson<T>(text: string): T;
export function readJson(text: string): unknown {
  return JSON.parse(text);
}
