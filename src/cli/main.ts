import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { HoldfastError } from '../client/index.ts';
import { didYouMean } from '../graph/values/index.ts';
import { SetupError } from '../process/setup-error.ts';
import { EXIT, RefusedError, UsageError } from './line/command.ts';
import type { Command, Terminal } from './line/command.ts';
import { COMMAND_GROUPS, COMMANDS } from './commands.ts';
import { describeRefusal } from './output/format-refusal.ts';
import { escapedOutput, paintFor } from './output/style.ts';
import { commandHelp, commandOverview } from './line/help.ts';

/** Runs a command line. Control characters are removed from its messages on standard error. @returns the exit code */
export async function main(args: readonly string[], { stderr, ...streams }: Terminal): Promise<number> {
  const terminal = { ...streams, stderr: escapedOutput(stderr, streams.env) };
  try {
    return await runCommand(args, terminal);
  } catch (error) {
    const known = KNOWN_ERRORS.find(({ isOf }) => isOf(error));
    if (!known || !(error instanceof Error)) throw error;
    const paint = paintFor(stderr, terminal.env);
    const message = error instanceof HoldfastError ? describeRefusal(error) : error.message;
    terminal.stderr.write(`${paint('failure', 'holdfast:')} ${message}\n`);
    return known.exit;
  }
}

/** Errors that users cause or can fix. All other errors are printed with their stack. */
const KNOWN_ERRORS = [
  { isOf: (error: unknown) => error instanceof UsageError, exit: EXIT.usage },
  { isOf: (error: unknown) => error instanceof RefusedError, exit: EXIT.refused },
  { isOf: (error: unknown) => error instanceof HoldfastError, exit: EXIT.refused },
  { isOf: (error: unknown) => error instanceof SetupError, exit: EXIT.failed },
] as const;

async function runCommand([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || HELP_FLAGS.has(name)) return printText(terminal, commandOverview(COMMAND_GROUPS));
  if (name === '--version') return printText(terminal, `${await readVersion()}\n`);
  if (name === 'help')
    return printText(terminal, args[0] === undefined ? commandOverview(COMMAND_GROUPS) : helpOfCommand(args[0]));
  const command = findCommand(name);
  return args.some((arg) => HELP_FLAGS.has(arg))
    ? printText(terminal, commandHelp(command))
    : await command.run(args, terminal);
}

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

function helpOfCommand(name: string): string {
  return commandHelp(findCommand(name));
}

function findCommand(name: string): Command {
  const command = COMMANDS.get(name);
  if (command) return command;
  throw new UsageError(`There is no command "${name}".${didYouMean(name, [...COMMANDS.keys()])} See holdfast --help`);
}

function printText({ stdout }: Terminal, text: string): number {
  stdout.write(text);
  return EXIT.done;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
