import type { Store } from '../store/store.ts';

/**
 * Opens the store of a process instead of the one in PostgreSQL.
 * @param open opens the store in PostgreSQL, for stores that wrap it
 */
export type StoreOpener = (open: () => Promise<Store>) => Store | Promise<Store>;

/** The store setting of a configuration. */
interface StoreSetting {
  readonly store?: StoreOpener | undefined;
}

/** Opens the store of a configuration, by default the one of `open`. */
export async function openConfiguredStore({ store }: StoreSetting, open: () => Promise<Store>): Promise<Store> {
  return store ? await store(open) : await open();
}
