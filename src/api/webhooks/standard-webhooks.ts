import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { invalidField } from '../http/errors.ts';

/* Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */

const PREFIX = 'whsec_';
const NEW_SECRET_BYTES = 32;
const FEWEST_BYTES = 24;
const MOST_BYTES = 64;

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(NEW_SECRET_BYTES).toString('base64');
}

/** Returns true for `whsec_` followed by 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
  const isWhole = PREFIX + bytes.toString('base64') === text;
  return isWhole && bytes.byteLength >= FEWEST_BYTES && bytes.byteLength <= MOST_BYTES;
}

/**
 * Builds the headers by which a receiver verifies the sender. Each secret adds one signature; without secrets, nothing
 * is signed.
 * @param id the id of the message, the same at each attempt
 * @param atMs the time of this attempt, in milliseconds since the epoch
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  atMs: number,
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => new Webhook(secret).sign(id, new Date(atMs), body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1_000)),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

/** Returns the given secret, or a new one. @throws ApiError 422 */
export function givenOrNewSecret(given: string | undefined): string {
  if (given === undefined) return newWebhookSecret();
  if (!isWebhookSecret(given)) throw invalidField('/secret', 'A secret is "whsec_" and 24 to 64 bytes in base64');
  return given;
}
