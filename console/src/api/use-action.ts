import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallOptions } from 'holdfast/client';
import { useState } from 'react';
import { isDefinite } from './errors.ts';

interface ActionOptions<Input, Answer> {
  readonly send: (input: Input, options: CallOptions) => Promise<Answer>;
  /** Prefixes of the keys of queries that become stale. */
  readonly stale: readonly (readonly unknown[])[];
  /** Called with the answer. `isSending` stays true until it has finished. */
  readonly onDone?: ((answer: Answer) => void | Promise<void>) | undefined;
}

/** A request that changes something. */
export interface Action<Input, Answer> {
  readonly send: (input: Input) => void;
  readonly isSending: boolean;
  /** The error of the last request; `null` if it succeeded. */
  readonly error: unknown;
  /** Clears the error. */
  readonly forget: () => void;
  readonly answer: Answer | undefined;
}

/**
 * Sends a request with an idempotency key. Until an answer arrives, repeated requests share the key, so that they take effect
 * once; after an answer, the next request has a new key.
 */
export function useAction<Input, Answer>({ send, stale, onDone }: ActionOptions<Input, Answer>): Action<Input, Answer> {
  const queries = useQueryClient();
  const [key, setKey] = useState<string>(() => crypto.randomUUID());
  const mutation = useMutation({
    mutationFn: async (input: Input) => await send(input, { idempotencyKey: key }),
    async onSuccess(answer) {
      setKey(crypto.randomUUID());
      for (const queryKey of stale) void queries.invalidateQueries({ queryKey });
      await onDone?.(answer);
    },
    onError(error) {
      if (isDefinite(error)) setKey(crypto.randomUUID());
    },
  });
  return {
    send: (input) => mutation.mutate(input),
    isSending: mutation.isPending,
    error: mutation.error,
    forget: () => mutation.reset(),
    answer: mutation.data,
  };
}
