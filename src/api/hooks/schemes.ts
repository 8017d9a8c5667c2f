import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { isJsonObject, own } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { HookScheme } from '../../store/platform-tables.ts';

/** What is special to a scheme. */
interface HmacScheme extends Pick<Scheme, 'greetingOf' | 'takesForms'> {
  /** @returns `null` if there is no signature, or it is too old */
  claimOf(this: void, request: SignedRequest): HmacClaim | null;
  /** @returns `null` if the message has none */
  idOf(this: void, request: SignedRequest, body: Json): string | null;
}

function hmacScheme({ claimOf, idOf, ...rest }: HmacScheme): Scheme {
  return {
    ...rest,
    faultOf: () => null,
    isSigned(secret, request) {
      const claim = claimOf(request);
      return claim !== null && isSigned(secret, request, claim);
    },
    messageIdOf: (request, body) =>
      idOf(request, body) ?? `signed:${signedContent(request, claimOf(request)?.prefix ?? '')}`,
  };
}

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
const GITHUB_SCHEME = hmacScheme({
  claimOf: ({ headers }) => ({ prefix: '', signatures: afterPrefix('sha256=', headers.get('x-hub-signature-256')) }),
  idOf: ({ headers }) => headers.get('x-github-delivery'),
  greetingOf: ({ headers }) => (headers.get('x-github-event') === 'ping' ? { ok: true } : null),
  takesForms: false,
});

/** https://docs.stripe.com/webhooks#verify-manually */
const STRIPE_SCHEME = hmacScheme({
  claimOf(request) {
    const parts = (request.headers.get('stripe-signature') ?? '').split(',').map((part) => part.trim());
    const [time = ''] = parts.flatMap((part) => afterPrefix('t=', part));
    const signatures = parts.flatMap((part) => afterPrefix('v1=', part));
    return isRecent(time, request) ? { prefix: `${time}.`, signatures } : null;
  },
  idOf: (_request, body) => textIn(body, 'id'),
  greetingOf: () => null,
  takesForms: false,
});

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SLACK_SCHEME = hmacScheme({
  claimOf(request) {
    const time = request.headers.get('x-slack-request-timestamp') ?? '';
    const signatures = afterPrefix('v0=', request.headers.get('x-slack-signature'));
    return isRecent(time, request) ? { prefix: `v0:${time}:`, signatures } : null;
  },
  idOf: (_request, body) => textIn(body, 'event_id'),
  greetingOf(_request, body) {
    const challenge = textIn(body, 'challenge');
    return textIn(body, 'type') === 'url_verification' && challenge !== null ? { challenge } : null;
  },
  takesForms: true,
});

function afterPrefix(prefix: string, text: string | null): readonly string[] {
  return text?.startsWith(prefix) ? [text.slice(prefix.length)] : [];
}

function textIn(body: Json, member: string): string | null {
  const value = isJsonObject(body) ? own(body, member) : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const STANDARD_SCHEME: Scheme = {
  faultOf: (secret) => (toVerifier(secret) ? null : 'A secret is base64 here, perhaps after "whsec_"'),
  isSigned: (secret, request) => verifies(toVerifier(secret), request),
  messageIdOf: ({ headers }) => headers.get('webhook-id') ?? '',
  greetingOf: () => null,
  takesForms: false,
};

/** @returns `null` for a secret that is no base64 */
function toVerifier(secret: string): Webhook | null {
  try {
    return new Webhook(secret);
  } catch {
    return null;
  }
}

/** The library throws for whatever it does not accept. */
function verifies(verifier: Webhook | null, { headers, bytes }: SignedRequest): boolean {
  try {
    const given = Object.fromEntries(HEADERS.map((name) => [name, headers.get(name) ?? '']));
    verifier?.verify(Buffer.from(bytes), given, { jsonParse: false });
    return verifier !== null;
  } catch {
    return false;
  }
}

export const SCHEMES: Readonly<Record<HookScheme, Scheme>> = {
  standard: STANDARD_SCHEME,
  github: GITHUB_SCHEME,
  stripe: STRIPE_SCHEME,
  slack: SLACK_SCHEME,
};

/** What a request says of its own signature: an HMAC-SHA256, in hex, over a prefix and the body. */
export interface HmacClaim {
  readonly prefix: string;
  /** Several while a secret is replaced; one is enough. */
  readonly signatures: readonly string[];
}

/** True if one of the signatures is the right one. The time that it takes tells nothing about the right one. */
function isSigned(secret: string, { bytes }: SignedRequest, { prefix, signatures }: HmacClaim): boolean {
  const right = createHmac('sha256', secret).update(prefix).update(bytes).digest();
  return signatures.some((signature) => HEX.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), right));
}

const HEX = /^[0-9a-f]{64}$/i;

/** Tells signed content from other content. Unlike a signature, no more than one text belongs to it. */
function signedContent({ bytes }: SignedRequest, prefix: string): string {
  return createHash('sha256').update(prefix).update(bytes).digest('hex');
}

/** A way in which other systems sign what they send. */
export interface Scheme {
  /** Says what is wrong with a secret that is stored; `null`: nothing. */
  faultOf(secret: string): string | null;
  /** True if who has signed knows the secret, and did so a moment ago, as far as the scheme tells. */
  isSigned(secret: string, request: SignedRequest): boolean;
  /** Tells a message from others; a repeated one has the same. */
  messageIdOf(request: SignedRequest, body: Json): string;
  /** The answer to a message that only tries if somebody is here; `null`: it is another one. */
  greetingOf(request: SignedRequest, body: Json): JsonObject | null;
  /** Forms count as messages, beside JSON. */
  readonly takesForms: boolean;
}

/** A request of another system, as it came. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The time at which it came. */
  readonly atMs: number;
}

/** A signature may be this old, or this far in the future. */
const MAX_AGE_MS = 5 * 60_000;

/** True for a Unix time in seconds, in digits only, that is not far from the request's. */
function isRecent(seconds: string, { atMs }: Pick<SignedRequest, 'atMs'>): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(atMs - Number(seconds) * 1_000) <= MAX_AGE_MS;
}
