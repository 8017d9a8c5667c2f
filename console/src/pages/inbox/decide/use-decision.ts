import { useQueryClient } from '@tanstack/react-query';
import type { Approval, Decision } from 'holdfast/client';
import { useState } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { isDefinite } from '../../../api/is-definite.ts';
import { isOutdated } from './decision-outcome.ts';
import type { Outcome } from './decision-outcome.ts';

/** Sends the decisions of one opened form. */
export interface Deciding {
  /** The idempotency key of the next request. */
  readonly key: string;
  readonly isSending: boolean;
  readonly send: (decision: Decision) => Promise<void>;
}

/**
 * Decides an approval as it was shown. However often it is sent, also after no answer has come, one form makes one decision;
 * a decision that was refused for good leaves a new key for the next.
 */
export function useDecision(approval: Approval, tell: (outcome: Outcome) => void): Deciding {
  const client = useApi();
  const queries = useQueryClient();
  const [key, setKey] = useState<string>(() => crypto.randomUUID());
  const [isSending, setSending] = useState(false);
  const send = async (decision: Decision): Promise<void> => {
    setSending(true);
    try {
      const decided = await client.approvals.decide(approval, decision, { idempotencyKey: key });
      tell({ kind: 'decided', decision: decision.decision, isOver: decided.status !== 'pending' });
      // The answer has neither comments nor progress.
      queries.setQueryData(KEYS.approval(approval.id), { ...approval, ...decided });
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
    } catch (error) {
      if (isDefinite(error)) setKey(crypto.randomUUID());
      tell({ kind: 'refused', error, seen: approval });
      if (isOutdated(error)) void queries.invalidateQueries({ queryKey: KEYS.approvals });
    } finally {
      setSending(false);
    }
  };
  return { key, isSending, send };
}
