import type { Store } from '../store/store.ts';

/**
 * Opens the store of a process, instead of the one in PostgreSQL.
 * @param open opens the one in PostgreSQL; a store that keeps a part elsewhere may wrap it
 */
export type StoreOpener = (open: () => Promise<Store>) => Store | Promise<Store>;

/** The part of a configuration that names a store. */
interface StoreSetting {
  readonly store?: StoreOpener | undefined;
}

/** Opens the store that a configuration names, by default the one of `open`. */
export async function openConfiguredStore({ store }: StoreSetting, open: () => Promise<Store>): Promise<Store> {
  return store ? await store(open) : await open();
}
