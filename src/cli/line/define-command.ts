import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';
import type { Command, Terminal } from './command.ts';
import type { Flags, FlagValues, ParsedFlags } from './flags.ts';
import type { Operands } from './operands.ts';
import { messageOf } from '../../graph/values/index.ts';

interface CommandSpec<F extends Flags, T> extends Omit<Command, 'operands' | 'flags' | 'run'> {
  readonly operands: Operands<T>;
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
export function defineCommand<const F extends Flags, T>({ operands, action, ...spec }: CommandSpec<F, T>): Command {
  return {
    ...spec,
    operands: operands.shown,
    async run(args, terminal) {
      const { values, positionals } = readFlags(args, spec.flags);
      return await action({ values, given: operands.read(spec.name, positionals) }, terminal);
    },
  };
}

/** Parses flags and the other arguments. @throws UsageError for unknown flags */
function readFlags<F extends Flags>(args: readonly string[], options: F): ParsedFlags<F> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
