import { UsageError } from '../line/command.ts';
import { switchFlag, textFlag } from '../line/flags.ts';

/* The flags of commands that read a configuration. */

export const CONFIG_FLAG = textFlag(
  'FILE',
  'the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)',
);

export const NO_CONFIG_FLAG = switchFlag('reads no configuration');

interface ConfigValues {
  readonly config?: string | undefined;
  readonly 'no-config': boolean;
}

/** True unless `--no-config` is set. @throws UsageError if `--config` is set as well */
export function wantsConfig({ config, 'no-config': isUnwanted }: ConfigValues): boolean {
  if (isUnwanted && config !== undefined) throw new UsageError('Give --config or --no-config, not both');
  return !isUnwanted;
}
