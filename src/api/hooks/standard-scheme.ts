import { Webhook } from 'standardwebhooks';
import type { Scheme } from './scheme.ts';
import type { SignedRequest } from './signed-request.ts';

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const STANDARD_SCHEME: Scheme = {
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
