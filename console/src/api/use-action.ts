import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallOptions } from 'holdfast/client';
import { useState } from 'react';
import { isDefinite } from './errors.ts';

interface ActionOptions<Input, Answer> {
  readonly send: (input: Input, options: CallOptions) => Promise<Answer>;
  /** What it makes stale, by the first parts of its keys. */
  readonly stale: readonly (readonly unknown[])[];
  /** It counts as being sent until this has ended. */
  readonly onDone?: ((answer: Answer) => void | Promise<void>) | undefined;
}

/** A request that changes something. */
export interface Action<Input, Answer> {
  readonly send: (input: Input) => void;
  readonly isSending: boolean;
  /** Why the last one was refused; `null`: it was not. */
  readonly error: unknown;
  /** Makes nothing of the last refusal. */
  readonly forget: () => void;
  readonly answer: Answer | undefined;
}

/**
 * Sends what changes something. However often it is sent while no answer has come, it is done once; after an answer, the next
 * one has a key of its own.
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
