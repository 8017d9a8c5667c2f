import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { SignedRequest } from './signed-request.ts';

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
