import { toTemplateText } from '../../src/graph/values/json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import type { CallerTokens } from '../../src/dev/issuer.ts';
import type { ApiAnswer, ApiClient } from '../support/readers/api-client.ts';
import { at } from '../support/readers/json-at.ts';
import type { Random } from '../support/builders/random.ts';

/** An action of a person on a run, and the API's response. */
export interface Action {
  readonly kind: ActionKind;
  /** The target of the action, such as an approval. */
  readonly target: string;
  readonly by: keyof CallerTokens;
  readonly isAccepted: boolean;
  readonly answer: string;
}

export type ActionKind = 'approve' | 'reject' | 'signal' | 'cancel' | 'retry' | 'skip';

export interface RequestedAction extends Pick<Action, 'kind' | 'target' | 'by'> {
  readonly runId: string;
  readonly body: Json;
}

/** Sends an action until its outcome is known: under one key, sometimes twice concurrently. */
export async function act(client: ApiClient, wanted: RequestedAction, random: Random): Promise<Action> {
  const { kind, target, by, runId, body } = wanted;
  const headers = { 'idempotency-key': `${kind} ${target} ${by}` };
  const post = async (): Promise<ApiAnswer> => await client.post(`/api/runs/${runId}/${kind}`, body, headers);
  const answers = await Promise.all(random.next() < 0.3 ? [post(), post()] : [post()]);
  const [answer] = answers;
  if (answers.some((other) => other.status !== answer?.status))
    throw new Error(`${kind} ${target} was answered in two ways: ${JSON.stringify(answers)}`);
  const status = answer?.status ?? 0;
  return {
    kind,
    target,
    by,
    isAccepted: status < 300,
    answer: `${status} ${toTemplateText(at(answer?.body ?? null, '/code') ?? null)}`,
  };
}
