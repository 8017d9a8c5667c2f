import { CancellationScope } from '@temporalio/workflow';

/** Cancellation scopes by key, for effects that are canceled one by one. */
export interface Scopes {
  /** @returns the result of `begin`; rejects when the scope is canceled */
  open<T>(key: string, begin: () => Promise<T>): Promise<T>;
  cancel(key: string): void;
  /** Forgets a finished scope. */
  close(key: string): void;
}

/** @param parent ends all of them when it is canceled; the default is the scope of who opens them */
export function createScopes(parent?: CancellationScope): Scopes {
  const scopes = new Map<string, CancellationScope>();
  return {
    open(key, begin) {
      const scope = new CancellationScope({ cancellable: true, ...(parent && { parent }) });
      scopes.set(key, scope);
      return scope.run(begin);
    },
    cancel: (key) => scopes.get(key)?.cancel(),
    close: (key) => void scopes.delete(key),
  };
}
