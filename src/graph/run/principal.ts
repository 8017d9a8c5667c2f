/** The role that permits everything. */
const ADMIN = 'admin';

/** True if a run of this principal may call a tool of these roles; a tool without roles is open to all. */
export function mayCall(roles: readonly string[] | undefined, { roles: held }: Pick<Principal, 'roles'>): boolean {
  return !roles || held.includes(ADMIN) || roles.some((role) => held.includes(role));
}

/** The author of a request: the subject and roles of a token or a signal. */
export interface Principal {
  readonly sub: string;
  readonly roles: readonly string[];
}
