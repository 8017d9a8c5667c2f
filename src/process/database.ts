import { isDatabaseAway } from '../store/database/database-away.ts';
import { openPostgresStore } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import type { Dependency } from './connect-with-retry.ts';

export function database(url: string): Dependency<Store> {
  return { name: 'the database', open: () => openPostgresStore(url), isAway: isDatabaseAway };
}
