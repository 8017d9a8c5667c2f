import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { isJsonObject, own } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { HookScheme } from '../../store/hook.ts';

/** The parts in which the HMAC schemes differ. */
interface HmacScheme extends Pick<Scheme, 'verificationAnswerOf' | 'formBody'> {
  /** @returns `null` if the signature is missing or too old */
  claimOf(this: void, request: SignedRequest): HmacClaim | null;
  /** @returns `null` if the message has no id */
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
  verificationAnswerOf: ({ headers }) => (headers.get('x-github-event') === 'ping' ? { ok: true } : null),
  formBody: 'payload',
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
  verificationAnswerOf: () => null,
  formBody: 'none',
});

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
const SLACK_SCHEME = hmacScheme({
  claimOf(request) {
    const time = request.headers.get('x-slack-request-timestamp') ?? '';
    const signatures = afterPrefix('v0=', request.headers.get('x-slack-signature'));
    return isRecent(time, request) ? { prefix: `v0:${time}:`, signatures } : null;
  },
  idOf: (_request, body) => textIn(body, 'event_id'),
  verificationAnswerOf(_request, body) {
    const challenge = textIn(body, 'challenge');
    return textIn(body, 'type') === 'url_verification' && challenge !== null ? { challenge } : null;
  },
  formBody: 'fields',
});

function afterPrefix(prefix: string, text: string | null): readonly string[] {
  return text?.startsWith(prefix) ? [text.slice(prefix.length)] : [];
}

function textIn(body: Json, member: string): string | null {
  const value = isJsonObject(body) ? own(body, member) : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The headers of a message by Standard Webhooks. */
interface StandardHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * Finds the headers of a message under the names of Standard Webhooks, or under those of Svix, which sends the same
 * content (https://docs.svix.com/receiving/verifying-payloads/how-manual).
 * @returns `null` if any is missing, or if a message has both sets of names and these differ: it would be unclear which
 * id is signed
 */
function standardHeadersOf(headers: Headers): StandardHeaders | null {
  const sets = ['webhook', 'svix'].flatMap((prefix) => {
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`${prefix}-${name}`));
    return id === null && timestamp === null && signature === null ? [] : [{ id, timestamp, signature }];
  });
  const [first, second = first] = sets;
  if (!first?.id || !first.timestamp || !first.signature || !isDeepStrictEqual(first, second)) return null;
  return {
    'webhook-id': first.id,
    'webhook-timestamp': first.timestamp,
    'webhook-signature': first.signature,
  };
}

/** Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const STANDARD_SCHEME: Scheme = {
  faultOf: (secret) => (toVerifier(secret) ? null : 'A secret is base64 here, perhaps after "whsec_"'),
  isSigned: (secret, request) => verifies(toVerifier(secret), request),
  messageIdOf: ({ headers }) => standardHeadersOf(headers)?.['webhook-id'] ?? '',
  verificationAnswerOf: () => null,
  formBody: 'none',
};

/** @returns `null` for a secret that is not base64 */
function toVerifier(secret: string): Webhook | null {
  try {
    return new Webhook(secret);
  } catch {
    return null;
  }
}

/** The library throws for everything that it does not accept. */
function verifies(verifier: Webhook | null, { headers, bytes }: SignedRequest): boolean {
  try {
    const given = standardHeadersOf(headers);
    if (verifier === null || given === null) return false;
    verifier.verify(Buffer.from(bytes), { ...given }, { jsonParse: false });
    return true;
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

/** A request's signature: an HMAC-SHA256 in hex over a prefix and the body. */
export interface HmacClaim {
  readonly prefix: string;
  /** There are several while a secret is being replaced; one valid signature is enough. */
  readonly signatures: readonly string[];
}

/** Returns true if one of the signatures is valid. The comparison takes constant time. */
function isSigned(secret: string, { bytes }: SignedRequest, { prefix, signatures }: HmacClaim): boolean {
  const right = createHmac('sha256', secret).update(prefix).update(bytes).digest();
  return signatures.some((signature) => HEX.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), right));
}

const HEX = /^[0-9a-f]{64}$/i;

/**
 * Returns a hash that identifies the signed content. A signature can't serve as the id, because several may be valid
 * for one content.
 */
function signedContent({ bytes }: SignedRequest, prefix: string): string {
  return createHash('sha256').update(prefix).update(bytes).digest('hex');
}

/** A scheme by which other systems sign their messages. */
export interface Scheme {
  /** Returns what is wrong with a secret, or `null`. */
  faultOf(secret: string): string | null;
  /** Returns true if the signature was made with the secret, and recently if the scheme has a timestamp. */
  isSigned(secret: string, request: SignedRequest): boolean;
  /** Returns an id that is the same for repetitions of a message, and different for all other messages. */
  messageIdOf(request: SignedRequest, body: Json): string;
  /** Returns the answer to a message that only verifies the endpoint; `null` for all others. */
  verificationAnswerOf(request: SignedRequest, body: Json): JsonObject | null;
  /** What a form is the message of. `none`: forms are refused. `payload`: the JSON in its field of that name. */
  readonly formBody: 'none' | 'fields' | 'payload';
}

/** A request as it was received. */
export interface SignedRequest {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** When it was received, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** The largest age of a signature, and how far it may be in the future. */
const MAX_AGE_MS = 5 * 60_000;

/** Returns true for a Unix time in seconds, with digits only, that is close to the time of the request. */
function isRecent(seconds: string, { atMs }: Pick<SignedRequest, 'atMs'>): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(atMs - Number(seconds) * 1_000) <= MAX_AGE_MS;
}
