import type { Send } from './send.ts';
import type { Timing } from './timing.ts';

/** What all resources of a client share. */
export interface Connection {
  readonly send: Send;
  readonly timing: Timing;
}
