import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { toTenant } from './to-tenant.ts';

export function ForgetTenant({ id }: { readonly id: string }): JSX.Element {
  const client = useApi();
  return (
    <ActionButton
      label="Forget"
      of={`what was said of ${id}`}
      look="small"
      warning={`Only the configuration counts for ${id} then, and it is not suspended.`}
      request={{ method: 'DELETE', path: toTenant(id) }}
      send={async (options) => await client.admin.removeTenant(id, options)}
      stale={[KEYS.admin]}
    />
  );
}
