import { chmod, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { messageOf } from '../graph/values/index.ts';
import { isMain } from '../process/is-main.ts';
import { startStack } from './stack.ts';
import type { Stack, StackOptions } from './stack.ts';
import { stopOnSignal } from './stop-on-signal.ts';

const HELP = `Usage: npm start -- [flags]

Starts the API, a Temporal dev server with its Web UI, a worker, an embedded PostgreSQL, a scripted model, a small shop
and a local token issuer. Stopped and started again, it continues its runs.

  --config FILE        the configuration (default: holdfast.config.ts, or HOLDFAST_CONFIG)
  --port N             the API's port (default: the first free one from 3000; 0: any)
  --data-dir DIR       where state is kept (default: .holdfast)
  --temporal-port N    the Temporal server's port (default: the first free one from 7233)
  --ui-port N          the Temporal Web UI's port (default: the first free one from 8233)
  --tokens-file FILE   writes addresses and tokens there, readable by you alone
  --issuer-jwk FILE    signs tokens with this private key
  --log-file FILE      writes the log there (default: holdfast.log in the data folder)
  --json               prints one line of JSON once everything answers, and nothing else

TEMPORAL_ADDRESS and DATABASE_URL take servers of yours instead of our own.
`;

interface Flags {
  readonly options: StackOptions;
  readonly tokensFile: string | undefined;
  readonly json: boolean;
}

/** @returns `null` if help is requested */
function readFlags(args: readonly string[]): Flags | null {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      config: text,
      port: text,
      'data-dir': { ...text, default: '.holdfast' },
      'temporal-port': text,
      'ui-port': text,
      'tokens-file': text,
      'issuer-jwk': text,
      'log-file': text,
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const { json } = values;
  return {
    json,
    tokensFile: values['tokens-file'],
    options: {
      config: values.config,
      port: toPort('--port', values.port),
      dataDir: values['data-dir'],
      temporalPort: toPort('--temporal-port', values['temporal-port']),
      uiPort: toPort('--ui-port', values['ui-port']),
      logFile: values['log-file'],
      issuerJwk: values['issuer-jwk'],
      environment: process.env,
      say: (line) => process.stderr.write(`${line}\n`),
    },
  };
}

function toPort(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`${flag} takes a port number, not "${text}"`);
}

async function writeTokens(file: string, { baseUrl, temporalAddress, uiUrl, tokens }: Stack): Promise<void> {
  await writeFile(file, `${JSON.stringify({ baseUrl, temporalAddress, uiUrl, ...tokens }, null, 2)}\n`, {
    mode: 0o600,
  });
  await chmod(file, 0o600);
}

function describe({ baseUrl, temporalAddress, uiUrl, tokens }: Stack): string {
  const people = Object.entries(tokens).map(([name, token]) => `  ${name}\n    ${token}`);
  return `Holdfast is running. Ctrl-C stops it; started again, it continues its runs.

  API               ${baseUrl}
  API description   ${baseUrl}/docs
  Temporal          ${temporalAddress}
  Temporal Web UI   ${uiUrl}

Tokens (tenant "demo"; otherTenantUser is of "other"):
${people.join('\n')}
`;
}

/** Stops in order at the first SIGINT or SIGTERM, at once at a later one. */
function stopOnSignals(stack: Stack): void {
  const begin = (): void =>
    void stack.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  const stop = stopOnSignal({ begin, end: () => process.exit(1), now: () => performance.now() });
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2));
  if (!flags) return void process.stdout.write(HELP);
  const stack = await startStack(flags.options);
  stopOnSignals(stack);
  if (flags.tokensFile !== undefined) await writeTokens(flags.tokensFile, stack);
  const { baseUrl, temporalAddress, uiUrl } = stack;
  process.stdout.write(
    flags.json ? `${JSON.stringify({ ready: true, baseUrl, temporalAddress, uiUrl })}\n` : describe(stack),
  );
}

if (isMain(import.meta.url)) await main().catch(fail);
