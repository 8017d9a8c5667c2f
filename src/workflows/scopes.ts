import { CancellationScope } from '@temporalio/workflow';

/** Scopes of what may be canceled alone, by key. */
export interface Scopes {
  /** @returns what it comes to; rejected when it is canceled */
  open<T>(key: string, begin: () => Promise<T>): Promise<T>;
  cancel(key: string): void;
  /** Forgets one that is over. */
  close(key: string): void;
}

export function createScopes(): Scopes {
  const scopes = new Map<string, CancellationScope>();
  return {
    open(key, begin) {
      const scope = new CancellationScope();
      scopes.set(key, scope);
      return scope.run(begin);
    },
    cancel: (key) => scopes.get(key)?.cancel(),
    close: (key) => void scopes.delete(key),
  };
}
