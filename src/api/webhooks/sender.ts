import { request } from 'undici';
import { createGuard } from '../../network/guard.ts';
import type { AddressGuard } from '../../network/guard.ts';
import { NetworkError } from '../../network/network-error.ts';
import { readRetryAfter } from '../../network/retry-after.ts';
import type { ReceiverAnswer } from './judge-delivery.ts';

/** A message for a receiver. */
interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** A receiver's answer, or the reason why there was none. */
export interface PostResult extends ReceiverAnswer {
  readonly error: string | null;
}

/** Posts messages to public addresses and to allowed private hosts. */
export interface WebhookSender {
  /** Posts a message and never rejects. Redirects are not followed. */
  post(message: WebhookMessage): Promise<PostResult>;
  /** Returns the reason why an address is refused, without a DNS lookup; `null` when it is accepted. */
  refusal(url: string): string | null;
}

const REMEDY = "The configuration's webhooks.allow may name hosts and ports that webhooks may reach all the same";

/** @param allow private hosts that may be reached, as exact `host:port` */
export function createWebhookSender(allow: readonly string[]): WebhookSender {
  const guard = createGuard(allow, { remedy: REMEDY });
  return {
    post: (message) => postMessage(guard, message),
    refusal(url) {
      try {
        guard(new URL(url));
        return null;
      } catch (error) {
        return reasonForNoAnswer(error);
      }
    },
  };
}

/** The bytes of a response that are read and discarded, so that the connection can be reused. */
const MAX_ANSWER_BYTES = 1_024;
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'holdfast' };

async function postMessage(
  guard: AddressGuard,
  { url, headers, body, timeoutMs }: WebhookMessage,
): Promise<PostResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const target = new URL(url);
    const sent = { method: 'POST', headers: { ...HEADERS, ...headers }, body, signal, dispatcher: guard(target) };
    const answer = await request(target, sent);
    await answer.body.dump({ limit: MAX_ANSWER_BYTES, signal }).catch(() => undefined);
    const headerOf = (name: string): string | null => [answer.headers[name]].flat()[0] ?? null;
    const retryAfterMs = readRetryAfter({ get: headerOf }, Date.now());
    return { status: answer.statusCode, retryAfterMs, error: null };
  } catch (thrown) {
    return {
      status: null,
      retryAfterMs: null,
      error: signal.aborted ? timedOutMessage(timeoutMs) : reasonForNoAnswer(thrown),
    };
  }
}

function timedOutMessage(timeoutMs: number): string {
  return `There was no answer within ${timeoutMs / 1_000} s`;
}

/** Network error messages may contain internal addresses, which tenants must not see, so only the code is used. */
function reasonForNoAnswer(thrown: unknown): string {
  if (thrown instanceof NetworkError) return thrown.message;
  const code =
    thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? ` (${thrown.code})` : '';
  return `The receiver can't be reached${code}`;
}
