import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { didYouMean } from '../graph/values/index.ts';
import { SetupError } from '../process/setup-error.ts';
import { apiProcess } from './api-process.ts';
import { EXIT, RefusedError, UsageError } from './command.ts';
import type { Command, Terminal } from './command.ts';
import { diagram } from './diagram.ts';
import { evaluate } from './evaluate.ts';
import { mcp } from './mcp.ts';
import { promote } from './promote.ts';
import { run } from './run.ts';
import { start } from './start.ts';
import { validate } from './validate.ts';
import { workerProcess } from './worker-process.ts';

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    start,
    validate,
    diagram,
    run,
    promote,
    eval: evaluate,
    mcp,
    worker: workerProcess,
    api: apiProcess,
  }),
);

const HELP = `Usage: holdfast COMMAND [flags]

${[...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

  --help       this; after a command, what it takes
  --version    the version
`;

/** Runs a command line. @returns the exit code */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(args, terminal);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const exit = EXITS.find(([kind]) => error instanceof kind)?.[1];
    if (exit === undefined) throw error;
    terminal.stderr.write(`holdfast: ${error.message}\n`);
    return exit;
  }
}

/** Errors that people caused, or can mend; any other shows its stack. */
const EXITS = [
  [UsageError, EXIT.usage],
  [RefusedError, EXIT.refused],
  [SetupError, EXIT.failed],
] as const;

async function runCommand([name, ...args]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined || HELP_FLAGS.has(name)) return print(terminal, HELP);
  if (name === '--version') return print(terminal, `${await readVersion()}\n`);
  const command = COMMANDS.get(name);
  if (!command)
    throw new UsageError(`There is no command "${name}".${didYouMean(name, [...COMMANDS.keys()])} See holdfast --help`);
  if (args.some((arg) => HELP_FLAGS.has(arg))) return print(terminal, command.help);
  return await command.run(args, terminal);
}

const HELP_FLAGS: ReadonlySet<string> = new Set(['--help', '-h']);

function print({ stdout }: Terminal, text: string): number {
  stdout.write(text);
  return EXIT.done;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
