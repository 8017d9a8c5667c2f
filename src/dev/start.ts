import { open } from 'node:fs/promises';
import { messageOf } from '../graph/values/index.ts';
import { DATA_DIR, logFileIn, tokensFileIn } from './data-folder.ts';
import { startStack } from './stack.ts';
import type { Stack, StackOptions } from './stack.ts';

/** Options of `holdfast start`. */
export interface StartOptions extends Omit<StackOptions, 'environment' | 'say' | 'services' | 'printRun'> {
  /** True to start the scripted model and the shop as well. */
  readonly demo: boolean;
  /** The file for addresses and tokens; by default in the data folder. */
  readonly tokensFile: string | undefined;
  /** True to print one line of JSON once everything is ready, and nothing else. */
  readonly json: boolean;
  /** True to print no events of runs. */
  readonly quiet: boolean;
}

/**
 * Starts the stack in this process and prints its addresses and the events of runs. A signal stops it and ends the
 * process.
 */
export async function startStackInProcess({ demo, tokensFile, json, quiet, ...options }: StartOptions): Promise<Stack> {
  const tokens = tokensFile ?? tokensFileIn(options.dataDir);
  const log = options.logFile ?? logFileIn(options.dataDir);
  const stopOnSignals = handleStopSignals();
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
        : describeStack(stack, {
            tokens,
            log,
            console: await stack.consoleUrl(),
            flags: hintFlags({ ...options, tokensFile }),
          }),
    );
    return stack;
  } catch (error) {
    exitWithError(error);
  }
}

const startDemo: NonNullable<StackOptions['services']> = async (...parts) => {
  const { startDemoServices } = await import('./demo-services.ts');
  return await startDemoServices(...parts);
};

async function writeTokens(file: string, { baseUrl, temporalAddress, uiUrl, tokens }: Stack): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    // An existing file may be readable by others.
    await handle.chmod(0o600);
    await handle.writeFile(`${JSON.stringify({ baseUrl, temporalAddress, uiUrl, ...tokens }, null, 2)}\n`);
  } finally {
    await handle.close();
  }
}

/** Files for people to read. */
interface StateFiles {
  readonly tokens: string;
  readonly log: string;
  /** Valid once, for a minute. */
  readonly console: string;
  readonly flags: HintFlags;
}

/** The flags to add to each suggested command. */
type HintFlags = Readonly<Record<'token' | 'console' | 'logs', string>>;

type HintedFiles = Pick<StartOptions, 'dataDir' | 'logFile' | 'issuerJwk' | 'tokensFile'>;

/** The flags by which commands find the files of a stack outside their default locations. */
export function hintFlags({ dataDir, logFile, issuerJwk, tokensFile }: HintedFiles): HintFlags {
  const folder = dataDir === DATA_DIR ? undefined : dataDir;
  const signing = formatFlags({ 'data-dir': folder, 'issuer-jwk': issuerJwk });
  return {
    token: signing,
    console: `${signing}${formatFlags({ 'tokens-file': tokensFile })}`,
    logs: formatFlags(logFile === undefined ? { 'data-dir': folder } : { 'log-file': logFile }),
  };
}

function formatFlags(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${quoteShellWord(value)}`]))
    .join('');
}

/** Quotes a word for a shell. */
function quoteShellWord(word: string): string {
  return /^[\w./@:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function describeStack({ baseUrl, temporalAddress, uiUrl }: Stack, places: StateFiles): string {
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

/** A terminal sends SIGHUP when it is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Handles the signals that end this process. Before the stack exists, the first signal ends the process at once.
 * @returns a function that receives the stack: from then on the first signal stops it in order, and a later one ends
 * the process at once. A stack that breaks is stopped in order, too, with exit code 1
 */
export function handleStopSignals(): (stack: Pick<Stack, 'stop' | 'broken'>) => void {
  let begin = (): void => process.exit(0);
  const stop = stopOnSignal({ begin: () => begin(), end: () => process.exit(1), now: () => performance.now() });
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  return ({ broken, stop: stopStack }) => {
    let isEnding = false;
    const endWith = (exitCode: number, why = ''): void => {
      // A signal may end all processes of a group, so a part that exits now is no error.
      if (isEnding) return;
      isEnding = true;
      process.stderr.write(why);
      void stopStack().then(() => process.exit(exitCode), exitWithError);
    };
    begin = () => endWith(0);
    const breakDown = (): void => endWith(1, `${messageOf(broken.reason)}; started again, all runs go on\n`);
    if (broken.aborted) breakDown();
    else broken.addEventListener('abort', breakDown, { once: true });
  };
}

function exitWithError(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

/** A runner such as `tsx` forwards a signal of the process group, so one Ctrl-C arrives twice. */
const ONE_REQUEST_MS = 1_000;

interface StackStop {
  /** Starts the orderly stop. */
  readonly begin: () => void;
  /** Ends the process at once. */
  readonly end: () => void;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * Returns a signal handler: the first signal starts the stop, one that comes more than a second later ends the process
 * at once.
 */
export function stopOnSignal({ begin, end, now }: StackStop): () => void {
  let since: number | null = null;
  return () => {
    if (since === null) {
      since = now();
      begin();
    } else if (now() - since > ONE_REQUEST_MS) end();
  };
}
