import type { Store } from '../store/store.ts';

/**
 * Opens the store of a process, in place of the one in PostgreSQL.
 * @param open opens that one; a store that keeps some things elsewhere has it inside
 */
export type StoreOpener = (open: () => Promise<Store>) => Store | Promise<Store>;

/** Opens the store that a configuration wants. */
export async function openConfiguredStore(
  { store }: { readonly store?: StoreOpener | undefined },
  open: () => Promise<Store>,
): Promise<Store> {
  return store ? await store(open) : await open();
}
