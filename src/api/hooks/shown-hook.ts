import type { Hook } from '../../store/hooks/hooks.ts';

/** A hook as the API shows it, without a secret that is stored. */
export function shownHook({ tenantId, name, scheme, secret, action, createdAt, updatedAt, by }: Hook) {
  return {
    id: name,
    path: `/api/hooks/${tenantId}.${name}`,
    scheme,
    secret: 'secret' in secret ? secret : null,
    ...action,
    createdAt,
    updatedAt,
    by: by.sub,
  };
}
