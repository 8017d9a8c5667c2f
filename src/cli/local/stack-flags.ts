import { DATA_DIR } from '../../dev/data-folder.ts';
import { UsageError } from '../line/command.ts';
import { CONFIG_FLAG } from '../input/config-flags.ts';
import { option, text, textOr } from '../line/flags.ts';
import type { FlagValues } from '../line/flags.ts';

export const DATA_DIR_FLAG = textOr(DATA_DIR, 'DIR', 'where state is kept');

export const QUIET_FLAG = option('prints nothing of what happens to runs');

/** The flags of commands that start a stack. */
export const STACK_FLAGS = {
  config: CONFIG_FLAG,
  port: text('N', "the API's port (default: the first free one from 3000; 0: any)"),
  'data-dir': DATA_DIR_FLAG,
  'temporal-port': text('N', "the Temporal server's port (default: the first free one from 7233)"),
  'ui-port': text('N', "the Temporal Web UI's port (default: the first free one from 8233)"),
  'tokens-file': text(
    'FILE',
    'writes addresses and tokens there, readable by you alone (default: tokens.json in the data folder)',
  ),
  demo: option(
    'starts a scripted model and a small shop, too, and sets HOLDFAST_MODEL_URL, SHOP_URL and SHOP_AUTHORIZATION for the configuration',
  ),
  'issuer-jwk': text('FILE', 'signs tokens with this private key'),
  'log-file': text('FILE', 'writes the log there (default: holdfast.log in the data folder)'),
} as const;

/** @throws UsageError for what is no port */
export function readStackOptions(values: FlagValues<typeof STACK_FLAGS>) {
  return {
    config: values.config,
    port: toPort('--port', values.port),
    dataDir: values['data-dir'],
    temporalPort: toPort('--temporal-port', values['temporal-port']),
    uiPort: toPort('--ui-port', values['ui-port']),
    demo: values.demo,
    tokensFile: values['tokens-file'],
    issuerJwk: values['issuer-jwk'],
    logFile: values['log-file'],
  };
}

function toPort(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new UsageError(`${flag} takes a port number, not "${value}"`);
}
