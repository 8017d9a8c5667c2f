import { open } from 'node:fs/promises';
import { messageOf } from '../graph/values/index.ts';
import { DATA_DIR, logFileIn, tokensFileIn } from './data-folder.ts';
import { startStack } from './stack.ts';
import type { Stack, StackOptions } from './stack.ts';

/** Options of `holdfast start`. */
export interface StartOptions extends Omit<StackOptions, 'environment' | 'say' | 'services' | 'printRun'> {
  /** Starts the scripted model and the shop, too. */
  readonly demo: boolean;
  /** The file that addresses and tokens are written to; by default one in the data folder. */
  readonly tokensFile: string | undefined;
  /** Prints one line of JSON once everything answers, and nothing else. */
  readonly json: boolean;
  /** Prints no line for what happens to runs. */
  readonly quiet: boolean;
}

/**
 * Starts the stack in this process, and prints where its parts are, and what happens to runs. A signal stops it and ends
 * the process.
 */
export async function start({ demo, tokensFile, json, quiet, ...options }: StartOptions): Promise<Stack> {
  const tokens = tokensFile ?? tokensFileIn(options.dataDir);
  const log = options.logFile ?? logFileIn(options.dataDir);
  const stopOnSignals = takeSignals();
  try {
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    const printRun = (line: string): void => void process.stdout.write(`${line}\n`);
    const stack = await startStack({
      ...options,
      environment: process.env,
      say,
      ...(demo && { services: startDemo }),
      ...(!json && !quiet && { printRun }),
    });
    stopOnSignals(stack);
    await writeTokens(tokens, stack);
    const { baseUrl, temporalAddress, uiUrl } = stack;
    process.stdout.write(
      json
        ? `${JSON.stringify({ ready: true, baseUrl, temporalAddress, uiUrl })}\n`
        : describe(stack, {
            tokens,
            log,
            console: await stack.consoleUrl(),
            flags: hintFlags({ ...options, tokensFile }),
          }),
    );
    return stack;
  } catch (error) {
    fail(error);
  }
}

const startDemo: NonNullable<StackOptions['services']> = async (...parts) => {
  const { startDemoServices } = await import('./demo-services.ts');
  return await startDemoServices(...parts);
};

async function writeTokens(file: string, { baseUrl, temporalAddress, uiUrl, tokens }: Stack): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    // Others may have been allowed to read a file that was there.
    await handle.chmod(0o600);
    await handle.writeFile(`${JSON.stringify({ baseUrl, temporalAddress, uiUrl, ...tokens }, null, 2)}\n`);
  } finally {
    await handle.close();
  }
}

/** Files that people look into. */
interface Places {
  readonly tokens: string;
  readonly log: string;
  /** Good for a minute, once. */
  readonly console: string;
  readonly flags: HintFlags;
}

/** Flags by the commands that are hinted at. */
type HintFlags = Readonly<Record<'token' | 'console' | 'logs', string>>;

type HintedFiles = Pick<StartOptions, 'dataDir' | 'logFile' | 'issuerJwk' | 'tokensFile'>;

/** The flags with which commands find the files of a stack that are not where they are by default. */
export function hintFlags({ dataDir, logFile, issuerJwk, tokensFile }: HintedFiles): HintFlags {
  const folder = dataDir === DATA_DIR ? undefined : dataDir;
  const signing = toFlags({ 'data-dir': folder, 'issuer-jwk': issuerJwk });
  return {
    token: signing,
    console: `${signing}${toFlags({ 'tokens-file': tokensFile })}`,
    logs: toFlags(logFile === undefined ? { 'data-dir': folder } : { 'log-file': logFile }),
  };
}

function toFlags(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${inShell(value)}`]))
    .join('');
}

/** A word of a command line. */
function inShell(word: string): string {
  return /^[\w./@:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function describe({ baseUrl, temporalAddress, uiUrl }: Stack, places: Places): string {
  const { tokens, log, console, flags } = places;
  return `Holdfast is running. Ctrl-C stops it; started again, it continues its runs.

  API               ${baseUrl}
  API description   ${baseUrl}/docs
  Console           ${console}
                    (for a minute, once; "holdfast console${flags.console}" prints a new address)
  Temporal          ${temporalAddress}
  Temporal Web UI   ${uiUrl}
  Tokens            ${tokens} ("holdfast token approver${flags.token}" prints one)
  Log               ${log} ("holdfast logs${flags.logs}" prints it)

`;
}

/** The closing of a terminal is SIGHUP. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Takes the signals that end this process, which has no stack yet: until then the first one ends it at once.
 * @returns a function that takes the stack: from then on the first one stops it in order, and a later one ends it at once.
 * A stack that breaks is stopped in order, too, with exit code 1
 */
export function takeSignals(): (stack: Pick<Stack, 'stop' | 'broken'>) => void {
  let begin = (): void => process.exit(0);
  const stop = stopOnSignal({ begin: () => begin(), end: () => process.exit(1), now: () => performance.now() });
  for (const signal of SIGNALS) process.on(signal, stop);
  return ({ broken, stop: stopStack }) => {
    let isEnding = false;
    const endWith = (exitCode: number, why = ''): void => {
      // A signal may end all processes of a group: the part that is missing then is no fault.
      if (isEnding) return;
      isEnding = true;
      process.stderr.write(why);
      void stopStack().then(() => process.exit(exitCode), fail);
    };
    begin = () => endWith(0);
    const breakDown = (): void => endWith(1, `${messageOf(broken.reason)}; started again, all runs go on\n`);
    if (broken.aborted) breakDown();
    else broken.addEventListener('abort', breakDown, { once: true });
  };
}

function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

/** A runner such as `tsx` passes a signal of the process group on, so one Ctrl-C arrives twice. */
const ONE_REQUEST_MS = 1_000;

interface Stopping {
  /** Begins to stop in order. */
  readonly begin: () => void;
  /** Ends the process at once. */
  readonly end: () => void;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Returns a handler of signals: the first one begins to stop, one that comes more than a second later ends at once. */
export function stopOnSignal({ begin, end, now }: Stopping): () => void {
  let since: number | null = null;
  return () => {
    if (since === null) {
      since = now();
      begin();
    } else if (now() - since > ONE_REQUEST_MS) end();
  };
}
