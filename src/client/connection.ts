import type { Send } from './send.ts';
import type { Timing } from './timing.ts';

/** The shared parts of a client's resources. */
export interface Connection {
  readonly send: Send;
  readonly timing: Timing;
}
