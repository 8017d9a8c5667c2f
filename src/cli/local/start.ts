import { resolve } from 'node:path';
import { DATA_DIR } from '../../dev/data-folder.ts';
import { UsageError, EXIT, switchFlag, textFlag, textFlagOr, defineCommand, NO_OPERANDS } from '../line/command.ts';
import { CONFIG_FLAG, findConfig } from '../input/read-catalog.ts';
import type { FlagValues } from '../line/command.ts';
import { createClient } from '../../client/index.ts';
import { openStackOutput } from './stack-output.ts';

export const DATA_DIR_FLAG = textFlagOr(DATA_DIR, 'DIR', 'where state is kept');

const QUIET_FLAG = switchFlag('prints nothing of what happens to runs');

/** The flags of commands that start a stack. */
export const STACK_FLAGS = {
  config: CONFIG_FLAG,
  port: textFlag('N', "the API's port (default: the first free one from 3000; 0: any)"),
  'data-dir': DATA_DIR_FLAG,
  'temporal-port': textFlag('N', "the Temporal server's port (default: the first free one from 7233)"),
  'ui-port': textFlag('N', "the Temporal Web UI's port (default: the first free one from 8233)"),
  'tokens-file': textFlag(
    'FILE',
    'writes addresses and tokens there, readable by you alone (default: tokens.json in the data folder)',
  ),
  demo: switchFlag(
    'starts a scripted model and a small shop, too, and sets HOLDFAST_MODEL_URL, SHOP_URL and SHOP_AUTHORIZATION for the configuration',
  ),
  'issuer-jwk': textFlag('FILE', 'signs tokens with this private key'),
  'log-file': textFlag('FILE', 'writes the log there (default: holdfast.log in the data folder)'),
} as const;

/** @throws UsageError for an invalid port */
function readStackOptions(values: FlagValues<typeof STACK_FLAGS>) {
  return {
    config: values.config,
    port: readPortFlag('--port', values.port),
    dataDir: values['data-dir'],
    temporalPort: readPortFlag('--temporal-port', values['temporal-port']),
    uiPort: readPortFlag('--ui-port', values['ui-port']),
    demo: values.demo,
    tokensFile: values['tokens-file'],
    issuerJwk: values['issuer-jwk'],
    logFile: values['log-file'],
  };
}

function readPortFlag(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new UsageError(`${flag} takes a port number, not "${value}"`);
}

export const startCommand = defineCommand({
  name: 'start',
  summary: 'run all of it on this machine',
  operands: NO_OPERANDS,
  about: `Starts the API, a Temporal dev server with its Web UI, a worker, an embedded PostgreSQL and a local token
    issuer. It prints a line for each thing that happens to a run. Stopped and started again, it continues its runs.
    TEMPORAL_ADDRESS and DATABASE_URL take servers of yours instead of its own. Variables come from .env in this folder,
    too.`,
  flags: {
    ...STACK_FLAGS,
    json: switchFlag('prints one line of JSON once everything answers, and nothing else'),
    quiet: QUIET_FLAG,
  },
  exits: { 0: 'stopped by a signal', 1: 'something failed' },
  readsEnvFile: true,
  async action({ values }, terminal) {
    terminal.continueWhenUnread();
    const options = readStackOptions(values);
    const output = openStackOutput({ ...options, json: values.json, quiet: values.quiet }, terminal);
    const { startStackInProcess } = await import('../../dev/start.ts');
    await startStackInProcess({ ...options, ...output });
    return EXIT.done;
  },
});

export const devCommand = defineCommand({
  name: 'dev',
  summary: 'run all of it on this machine, and take up what is changed',
  operands: NO_OPERANDS,
  about: `Starts what "holdfast start" starts, and watches the project, which is the folder of the configuration. A
    changed graph is published anew; runs under way keep the version that they have begun with. After any other change
    new calls are made by the new code of tools, functions and configuration, while calls under way end with the old. It
    prints a line for each thing that happens to a run, and whatever is wrong with a change, with its place. Variables
    come from .env in this folder, too.`,
  flags: { ...STACK_FLAGS, quiet: QUIET_FLAG },
  exits: { 0: 'stopped by a signal', 1: 'something failed' },
  readsEnvFile: true,
  async action({ values }, terminal) {
    terminal.continueWhenUnread();
    const options = readStackOptions(values);
    const output = openStackOutput({ ...options, json: false, quiet: values.quiet }, terminal);
    const [{ startStackInProcess }, { trackImports }] = await Promise.all([
      import('../../dev/start.ts'),
      import('../../config/modules/project-modules.ts'),
    ]);
    await trackImports();
    const starting = startStackInProcess({ ...options, ...output, publish: async () => undefined });
    const [stack, { watchProject }] = await Promise.all([starting, import('./develop.ts')]);
    await watchProject({
      stack,
      client: createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user }),
      config: resolve(findConfig(options.config, terminal) ?? '.'),
      dataDir: options.dataDir,
      say: (line) => void terminal.stdout.write(`${line}\n`),
    });
    return EXIT.done;
  },
});
