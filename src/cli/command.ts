/** A command of `holdfast`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly help: string;
  /**
   * @returns the exit code
   * @throws UsageError, RefusedError
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** The streams and the environment of a process. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waits: 3, canceled: 4, timedOut: 5, refused: 6 } as const;

/** A wrong command line, or a file in it that can't be used. */
export class UsageError extends Error {}

/** The API is unreachable or refuses a request. */
export class RefusedError extends Error {}
