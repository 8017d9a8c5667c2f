import { CancellationScope } from '@temporalio/workflow';
import type { CallEffect } from '../graph/run/index.ts';

/** Cancellation scopes by key, for effects that are canceled one by one. */
export interface Scopes {
  /** @returns the result of `begin`; rejects when the scope is canceled */
  open<T>(key: string, begin: () => Promise<T>): Promise<T>;
  cancel(key: string): void;
  /** Forgets a finished scope. */
  close(key: string): void;
}

/** @param parent the scope whose cancellation ends all of them; by default, the scope in which each is opened */
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

/** The scopes of a run's calls. */
export interface CallScopes extends Pick<Scopes, 'cancel' | 'close'> {
  /** Begins a call in the scope of all calls; a cancelable call also has a scope of its own. */
  enter(call: Pick<CallEffect, 'key' | 'isCancelable'>, begin: () => void): void;
  /** Cancels the scope of all calls. Later calls, such as those of a compensation, have a new one. */
  cancelAll(): void;
}

/** Creates the scopes of a run's calls. The first calls have the current scope. */
export function createCallScopes(): CallScopes {
  const firstScope = CancellationScope.current();
  let scope = firstScope;
  const cancelable = createScopes();
  return {
    ...cancelable,
    enter({ key, isCancelable }, begin) {
      const enter = isCancelable ? () => void cancelable.open(key, async () => begin()) : begin;
      if (CancellationScope.current() === scope) enter();
      else void scope.run(async () => enter());
    },
    cancelAll() {
      scope.cancel();
      scope = new CancellationScope({ cancellable: true, parent: firstScope.parent ?? firstScope });
    },
  };
}
