import type { Store } from '../store/store.ts';

/**
 * Opens the store of a process, in place of the one in PostgreSQL.
 * @param open opens that one; a store that keeps some things elsewhere has it inside
 */
export type StoreOpener = (open: () => Promise<Store>) => Store | Promise<Store>;

/** The part of a configuration that names a store. */
interface StoreSetting {
  readonly store?: StoreOpener | undefined;
}

/** Opens the store that a configuration wants. */
export async function openConfiguredStore({ store }: StoreSetting, open: () => Promise<Store>): Promise<Store> {
  return store ? await store(open) : await open();
}
