import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { parseArgs } from 'node:util';
import { didYouMean, messageOf, own } from '../../graph/values/index.ts';

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

/** A stream for text. */
export interface Output {
  write(text: string): unknown;
  /** True for a terminal. */
  readonly isTTY?: boolean | undefined;
}

/** The streams and the environment of a process, and its handling of Ctrl-C. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
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

interface CommandSpec<F extends Flags, T> extends Omit<Command, 'operands' | 'flags' | 'run'> {
  readonly operands: Operands<T>;
  /** True if the variables of `.env` in the working folder are set before the action. */
  readonly readsEnvFile?: boolean;
  readonly flags: F;
  /** @returns the exit code */
  readonly action: (line: CommandLine<F, T>, terminal: Terminal) => Promise<number>;
}

/** A command line, parsed. */
export interface CommandLine<F extends Flags, T> {
  readonly values: FlagValues<F>;
  readonly given: T;
}

/** Makes a command; its flags and operands type what its action gets. */
export function defineCommand<const F extends Flags, T>({
  operands,
  action,
  readsEnvFile = false,
  ...spec
}: CommandSpec<F, T>): Command {
  return {
    ...spec,
    operands: operands.shown,
    async run(args, terminal) {
      const { values, positionals } = readFlags(spec.name, args, spec.flags);
      if (readsEnvFile) readEnvFile(terminal);
      return await action({ values, given: operands.read(spec.name, positionals) }, terminal);
    },
  };
}

/** Parses flags and the other arguments. @throws UsageError for unknown flags, and for missing or needless values */
function readFlags<F extends Flags>(command: string, args: readonly string[], options: F): ParsedFlags<F> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const fault = findFlagFault(args, options) ?? messageOf(error);
    throw new UsageError(`${fault} See holdfast help ${command}`, { cause: error });
  }
}

/** Finds the first wrong flag of a command line. @returns sentences about it; `null` if all flags are right */
function findFlagFault(args: readonly string[], options: Flags): string | null {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = own<Flags[string]>(options, name);
    if (!flag) {
      const suggestion = didYouMean(name, Object.keys(options)).replace('"', '"--');
      return `There is no flag "${rawName}".${suggestion}`;
    }
    if (flag.type === 'boolean' && value !== undefined) return `${rawName} takes no value.`;
    if (flag.type === 'boolean') continue;
    if (value === undefined) return `${rawName} takes a value: ${rawName} ${flag.value}.`;
    if (!inlineValue && value.startsWith('-'))
      return `${rawName} takes a value, and "${value}" looks like a flag: for this value write ${rawName}=${value}.`;
  }
  return null;
}

export interface TextFlag {
  readonly type: 'string';
  /** The placeholder of its value in the help. */
  readonly value: string;
  readonly about: string;
}

export interface TextFlagWithDefault extends TextFlag {
  readonly default: string;
}

export interface SwitchFlag {
  readonly type: 'boolean';
  readonly default: false;
  readonly about: string;
}

/** The flags of a command, by their names without dashes. */
export type Flags = Readonly<Record<string, TextFlag | TextFlagWithDefault | SwitchFlag>>;

/** The parsed values of flags and operands. */
export type ParsedFlags<F extends Flags> = ReturnType<
  typeof parseArgs<{ args: string[]; options: F; allowPositionals: true; strict: true }>
>;

/** The values of flags; a text without a default may be `undefined`. */
export type FlagValues<F extends Flags> = ParsedFlags<F>['values'];

export function textFlag(value: string, about: string): TextFlag {
  return { type: 'string', value, about };
}

export function textFlagOr(fallback: string, value: string, about: string): TextFlagWithDefault {
  return { type: 'string', value, about, default: fallback };
}

/** A flag without a value. */
export function switchFlag(about: string): SwitchFlag {
  return { type: 'boolean', default: false, about };
}

/** The positional arguments of a command. */
export interface Operands<T> {
  /** Their placeholder in the help, such as `FILE…`. */
  readonly shown: string;
  /** @throws UsageError for too many or too few */
  read(command: string, given: readonly string[]): T;
}

export const NO_OPERANDS: Operands<null> = {
  shown: '',
  read(command, given) {
    if (given.length > 0) throw new UsageError(`${command} takes flags only`);
    return null;
  },
};

/** @param what a description for errors, such as `one file` */
export function oneOperand(shown: string, what: string): Operands<string> {
  return {
    shown,
    read(command, [first, ...more]) {
      if (first === undefined || more.length > 0) throw new UsageError(`${command} takes ${what}`);
      return first;
    },
  };
}

export function optionalOperand(shown: string, what: string): Operands<string | undefined> {
  return {
    shown: `[${shown}]`,
    read(command, [first, ...more]) {
      if (more.length > 0) throw new UsageError(`${command} takes ${what}`);
      return first;
    },
  };
}

export function someOperands(shown: string, what: string): Operands<readonly string[]> {
  return {
    shown: `${shown}…`,
    read(command, given) {
      if (given.length === 0) throw new UsageError(`${command} takes ${what}`);
      return given;
    },
  };
}

/** @param what a description for errors, such as `a run and a node` */
export function twoOperands(shown: string, what: string): Operands<readonly [first: string, second: string]> {
  return {
    shown,
    read(command, [first, second, ...more]) {
      if (first === undefined || second === undefined || more.length > 0)
        throw new UsageError(`${command} takes ${what}`);
      return [first, second];
    },
  };
}

const ENV_FILE = '.env';

/**
 * Sets the variables of `.env` in the working folder, if it is there, and prints their names; those that the
 * environment has already stay.
 * @throws UsageError if it can't be read
 */
function readEnvFile({ env, stderr }: Pick<Terminal, 'env' | 'stderr'>): void {
  if (!existsSync(ENV_FILE)) return;
  const known = new Set(Object.keys(env));
  try {
    loadEnvFile(ENV_FILE);
    const names = Object.keys(env).filter((name) => !known.has(name));
    if (names.length > 0) stderr.write(`Set by ${ENV_FILE}: ${names.join(', ')}\n`);
  } catch (error) {
    throw new UsageError(`${ENV_FILE} can't be read: ${messageOf(error)}`, { cause: error });
  }
}
