import { option, text } from '../line/flags.ts';

/* The flags of commands that read a configuration. */

export const CONFIG_FLAG = text(
  'FILE',
  'the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)',
);

export const NO_CONFIG_FLAG = option('reads no configuration');
