import type { ToolContext } from './tool.ts';

/** The call that the code serves, with its means. */
export interface CodeToolContext<Secret extends string = string> extends ToolContext {
  /** A logger that adds the run, the tool and the call to each line. */
  readonly logger: ToolLogger;
  /** Returns a secret that the tool's `secrets` name. */
  secret(this: void, name: Secret): string;
  /** Shows progress of a long call in Temporal. Heartbeats are sent without it, too. */
  heartbeat(this: void, details: unknown): void;
}

/** Writes lines of the log; members of `fields` become members of the line. */
interface ToolLogger {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

interface LogLine {
  (message: string): void;
  (fields: object, message?: string): void;
}
