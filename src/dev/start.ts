import { open } from 'node:fs/promises';
import { messageOf } from '../graph/values/index.ts';
import { logFileIn, tokensFileIn } from './data-folder.ts';
import { startStack } from './stack.ts';
import type { Stack, StackOptions } from './stack.ts';

/** Options of `holdfast start`. */
export interface StartOptions extends Omit<StackOptions, 'environment' | 'services'> {
  /** True to start the scripted model and the shop as well. */
  readonly demo: boolean;
  /** The file for addresses and tokens; by default in the data folder. */
  readonly tokensFile: string | undefined;
  /** Receives the stack once everything is ready, and its files. */
  readonly ready: (stack: StackAddresses, files: StackFiles) => void;
}

export type StackAddresses = Pick<Stack, 'baseUrl' | 'temporalAddress' | 'uiUrl'>;

/** The files of a stack that people read. */
export interface StackFiles {
  readonly tokens: string;
  readonly log: string;
}

/** Starts the stack in this process. A signal stops it and ends the process. */
export async function startStackInProcess({ demo, tokensFile, ready, ...options }: StartOptions): Promise<Stack> {
  const tokens = tokensFile ?? tokensFileIn(options.dataDir);
  const log = options.logFile ?? logFileIn(options.dataDir);
  const stopOnSignals = handleStopSignals();
  try {
    const stack = await startStack({ ...options, environment: process.env, ...(demo && { services: startDemo }) });
    stopOnSignals(stack);
    await writeTokens(tokens, stack);
    ready(stack, { tokens, log });
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
    const breakDown = (): void =>
      endWith(1, `${messageOf(broken.reason)}, so the stack stops. Start it again: all runs go on\n`);
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
