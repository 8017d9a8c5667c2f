import type { ToolContext } from './tool.ts';

/** The call that the code serves, with its means. */
export interface CodeToolContext<Secret extends string = string> extends ToolContext {
  /** Returns a secret that the tool's `secrets` name. */
  secret(this: void, name: Secret): string;
  /** Shows progress of a long call in Temporal. Heartbeats are sent without it, too. */
  heartbeat(this: void, details: unknown): void;
}
