import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import { Link, useRoute } from 'wouter';
import { KEYS } from '../api/query-keys.ts';
import { useAdminRight, useApi } from '../api/use-api.tsx';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';

interface Entry {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
}

const ENTRIES: readonly Entry[] = [
  { path: '/inbox', label: 'Inbox', icon: 'inbox' },
  { path: '/runs', label: 'Runs', icon: 'runs' },
  { path: '/graphs', label: 'Graphs', icon: 'graph' },
  { path: '/schedules', label: 'Schedules', icon: 'clock' },
  { path: '/webhooks', label: 'Webhooks', icon: 'webhook' },
  { path: '/tools', label: 'Tools', icon: 'tool' },
];
const ADMIN: Entry = { path: '/admin', label: 'Admin', icon: 'admin' };

/** Links to all pages. Only administrators see the link to theirs. */
export function Navigation(): JSX.Element {
  const { data: isAdmin = false } = useAdminRight();
  const waiting = useWaitingCount();
  const entries = isAdmin ? [...ENTRIES, ADMIN] : ENTRIES;
  return (
    <nav aria-label="Pages" className="navigation">
      <ul>
        {entries.map((entry) => (
          <NavigationEntry key={entry.path} entry={entry} count={entry.path === '/inbox' ? waiting : null} />
        ))}
      </ul>
    </nav>
  );
}

function NavigationEntry({ entry, count }: { readonly entry: Entry; readonly count: string | null }): JSX.Element {
  const { path, label, icon } = entry;
  const [isHere] = useRoute(`${path}/*?`);
  return (
    <li>
      <Link href={path} aria-current={isHere ? 'page' : undefined}>
        <Icon name={icon} />
        {label}
        {count !== null && (
          <span className="badge">
            {count}
            <span className="for-readers"> wait for you</span>
          </span>
        )}
      </Link>
    </li>
  );
}

const MOST = 100;

/** The number of approvals that wait for the person; `null` if there is none, or the person may see none. */
function useWaitingCount(): string | null {
  const client = useApi();
  const { data } = useQuery({
    queryKey: [...KEYS.approvals, 'count'],
    queryFn: async ({ signal }) =>
      await client.approvals.list({ status: 'pending', mine: true, limit: MOST }, { signal }).page(),
  });
  if (!data || data.items.length === 0) return null;
  return data.nextCursor === null ? String(data.items.length) : `${MOST}+`;
}
