import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { Link } from 'wouter';
import { KEYS } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { useAdminRight } from '../../api/use-admin-right.ts';
import { Notice } from '../../parts/notice.tsx';
import { Ago } from '../../parts/time.tsx';

const MOST = { limit: 200 };

/** Shows administrators what else is switched off beside tools: models, functions, node types and graphs. */
export function OthersOff(): JSX.Element | null {
  const client = useApi();
  const { data: isAdmin } = useAdminRight();
  const { data } = useQuery({
    queryKey: [...KEYS.admin, 'others-off'],
    enabled: isAdmin === true,
    queryFn: async ({ signal }) => await client.admin.switches(MOST, { signal }).page(),
  });
  const off = data?.items.filter(({ kind, state }) => kind !== 'tool' && state === 'off') ?? [];
  if (off.length === 0) return null;
  return (
    <Notice kind="warn">
      <p>
        These are <Link href="/admin/switches">switched off</Link>, too:
      </p>
      <ul className="plain">
        {off.map(({ kind, name, reason, tenants, changedAt }) => (
          <li key={`${kind} ${name}`}>
            {kind} <code>{name}</code>, <Ago at={changedAt} />
            {tenants !== null && `, for ${tenants.join(', ')}`}: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
