import type { Send } from './send.ts';
import type { Timing } from './timing.ts';

/** What every group of client methods uses: how requests are sent, and their delays. */
export interface Connection {
  readonly send: Send;
  readonly timing: Timing;
}
