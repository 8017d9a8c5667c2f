import type { Flags } from './flags.ts';

/** A command of `holdfast`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The positional arguments, such as `FILE…`; empty if there are none. */
  readonly operands: string;
  /** A description of the command for its help. */
  readonly about: string;
  readonly flags: Flags;
  /** The meanings of its exit codes, apart from the one for wrong usage. */
  readonly exits: ExitCodes;
  /**
   * @returns the exit code
   * @throws UsageError, RefusedError, HoldfastError
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export type ExitCodes = Readonly<Record<number, string>>;

/** The streams and the environment of a process, and its handling of Ctrl-C. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Handles Ctrl-C, which otherwise ends the process. @returns the signal that Ctrl-C aborts */
  readonly interrupted: () => AbortSignal;
  /** Lets the process continue when its output is closed; by default it exits. */
  readonly continueWhenUnread: () => void;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waits: 3, canceled: 4, timedOut: 5, refused: 6 } as const;

/** A wrong command line, or a file in it that can't be used. */
export class UsageError extends Error {}

/** The API refuses a request, or its response is unusable for the command. */
export class RefusedError extends Error {}
