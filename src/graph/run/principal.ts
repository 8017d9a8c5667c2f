/** The role that permits everything. */
const ADMIN = 'admin';

export function isAdmin({ roles }: Pick<Principal, 'roles'>): boolean {
  return roles.includes(ADMIN);
}

/** True if a run of this principal may call a tool of these roles; a tool without roles is open to all. */
export function mayCall(roles: readonly string[] | undefined, principal: Pick<Principal, 'roles'>): boolean {
  return !roles || isAdmin(principal) || roles.some((role) => principal.roles.includes(role));
}

/** True if a stored file may be read in a run of this principal: the rule of `GET /api/blobs/{id}`. */
export function mayReadFile({ by }: { readonly by: string }, principal: Principal): boolean {
  return by === principal.sub || isAdmin(principal);
}

/** The author of a request: the subject and roles of a token or a signal. */
export interface Principal {
  readonly sub: string;
  readonly roles: readonly string[];
}
