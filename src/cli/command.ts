/** A command of `holdfast`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly help: string;
  /** @returns the exit code @throws UsageError */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** What a command talks to; a process is one. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const EXIT = { done: 0, failed: 1, usage: 2, waits: 3, canceled: 4, timedOut: 5, refused: 6 } as const;

/** The command line, or something that it names, is not what the command takes. */
export class UsageError extends Error {}

/** The API can't be reached, or does not do what it is asked for. */
export class RefusedError extends Error {}
