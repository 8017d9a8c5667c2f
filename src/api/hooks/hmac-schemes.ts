import { isJsonObject, own } from '../../graph/values/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { isSigned, signedContent } from './hmac-signature.ts';
import type { HmacClaim } from './hmac-signature.ts';
import type { Scheme } from './scheme.ts';
import { isRecent } from './signed-request.ts';
import type { SignedRequest } from './signed-request.ts';

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
export const GITHUB_SCHEME = hmacScheme({
  claimOf: ({ headers }) => ({ prefix: '', signatures: afterPrefix('sha256=', headers.get('x-hub-signature-256')) }),
  idOf: ({ headers }) => headers.get('x-github-delivery'),
  greetingOf: ({ headers }) => (headers.get('x-github-event') === 'ping' ? { ok: true } : null),
  takesForms: false,
});

/** https://docs.stripe.com/webhooks#verify-manually */
export const STRIPE_SCHEME = hmacScheme({
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
export const SLACK_SCHEME = hmacScheme({
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
