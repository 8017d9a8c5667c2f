import type { Flags } from './flags.ts';

/** A command of `holdfast`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments that are no flags, such as `FILE…`; empty: none. */
  readonly operands: string;
  /** What the command does, for its help. */
  readonly about: string;
  readonly flags: Flags;
  /** What its exit codes mean, besides that of wrong usage. */
  readonly exits: Exits;
  /**
   * @returns the exit code
   * @throws UsageError, RefusedError, HoldfastError
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export type Exits = Readonly<Record<number, string>>;

/** The streams and the environment of a process, and its Ctrl-C. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes Ctrl-C, which ends the process otherwise. @returns what it aborts */
  readonly interrupted: () => AbortSignal;
  /** Lets the process go on when its output is closed, which ends it otherwise. */
  readonly goOnUnread: () => void;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waits: 3, canceled: 4, timedOut: 5, refused: 6 } as const;

/** A wrong command line, or a file in it that can't be used. */
export class UsageError extends Error {}

/** The API refuses a request, or has what the command can't use. */
export class RefusedError extends Error {}
