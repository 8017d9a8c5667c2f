import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A message of another system. */
export interface SignedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Signing {
  readonly secret: string;
  /** An id that differs from those of earlier messages. */
  readonly id: string;
  readonly at?: Date;
}

type Sign = (body: string, signing: Signing) => SignedMessage;

const JSON_TYPE = { 'content-type': 'application/json' };

const secondsOf = (at: Date): string => String(Math.floor(at.getTime() / 1_000));

function hexOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Signs by Standard Webhooks, with header names that begin with the given word. */
function standardAs(prefix: string): Sign {
  return (body, { secret, id, at = new Date() }) => ({
    headers: {
      ...JSON_TYPE,
      [`${prefix}-id`]: id,
      [`${prefix}-timestamp`]: secondsOf(at),
      [`${prefix}-signature`]: new Webhook(secret).sign(id, at, body),
    },
    body,
  });
}

/** Signs messages by the schemes of hooks. Stripe's and Slack's events contain their ids in the body. */
export const SIGN = {
  standard: standardAs('webhook'),
  /** Svix sends what Standard Webhooks wants, under header names of its own. */
  svix: standardAs('svix'),
  github: (body, { secret, id }) => ({
    headers: {
      ...JSON_TYPE,
      'x-github-event': 'issues',
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${hexOf(secret, body)}`,
    },
    body,
  }),
  stripe: (body, { secret, at = new Date() }) => {
    const time = secondsOf(at);
    return { headers: { ...JSON_TYPE, 'stripe-signature': `t=${time},v1=${hexOf(secret, `${time}.${body}`)}` }, body };
  },
  slack: (body, { secret, at = new Date() }) => {
    const time = secondsOf(at);
    const signature = `v0=${hexOf(secret, `v0:${time}:${body}`)}`;
    return {
      headers: { ...JSON_TYPE, 'x-slack-request-timestamp': time, 'x-slack-signature': signature },
      body,
    };
  },
} as const satisfies Record<string, Sign>;
