import { isDatabaseAway } from '../store/database/database-away.ts';
import { openPostgresStore } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import type { Need } from './connect-with-retry.ts';

export function database(url: string): Need<Store> {
  return { what: 'the database', open: () => openPostgresStore(url), isAway: isDatabaseAway };
}
