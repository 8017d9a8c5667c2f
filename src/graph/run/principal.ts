/** The role that may everything. */
const ADMIN = 'admin';

/** Whether a run of a principal may call a tool of these roles. A tool that names none is everybody's. */
export function mayCall(roles: readonly string[] | undefined, { roles: held }: Pick<Principal, 'roles'>): boolean {
  return !roles || held.includes(ADMIN) || roles.some((role) => held.includes(role));
}

/** Who asked for something: the subject and roles of a token, or of a signal. */
export interface Principal {
  readonly sub: string;
  readonly roles: readonly string[];
}
