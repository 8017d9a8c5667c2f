import { EXIT, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast start [flags]

Starts the API, a Temporal dev server with its Web UI, a worker, an embedded PostgreSQL, a scripted model, a small shop
and a local token issuer. Stopped and started again, it continues its runs.

  --config FILE        the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)
  --port N             the API's port (default: the first free one from 3000; 0: any)
  --data-dir DIR       where state is kept (default: .holdfast)
  --temporal-port N    the Temporal server's port (default: the first free one from 7233)
  --ui-port N          the Temporal Web UI's port (default: the first free one from 8233)
  --tokens-file FILE   writes addresses and tokens there, readable by you alone
  --issuer-jwk FILE    signs tokens with this private key
  --log-file FILE      writes the log there (default: holdfast.log in the data folder)
  --json               prints one line of JSON once everything answers, and nothing else

TEMPORAL_ADDRESS and DATABASE_URL take servers of yours instead of our own.

Exit code: 0 stopped by a signal; 1 something failed; 2 wrong usage.
`;

const text = { type: 'string' } as const;

export const start: Command = {
  summary: 'run all of it on this machine, for development',
  help: HELP,
  async run(args) {
    const { values, positionals } = readFlags(args, {
      config: text,
      port: text,
      'data-dir': { ...text, default: '.holdfast' },
      'temporal-port': text,
      'ui-port': text,
      'tokens-file': text,
      'issuer-jwk': text,
      'log-file': text,
      json: { type: 'boolean', default: false },
    });
    if (positionals.length > 0) throw new UsageError('start takes flags only');
    const options = {
      config: values.config,
      port: toPort('--port', values.port),
      dataDir: values['data-dir'],
      temporalPort: toPort('--temporal-port', values['temporal-port']),
      uiPort: toPort('--ui-port', values['ui-port']),
      tokensFile: values['tokens-file'],
      issuerJwk: values['issuer-jwk'],
      logFile: values['log-file'],
      json: values.json,
    };
    const stack = await import('../dev/start.ts');
    await stack.start(options);
    return EXIT.done;
  },
};

function toPort(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new UsageError(`${flag} takes a port number, not "${value}"`);
}
