import { EXIT, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast api [flags]

Runs the API until SIGTERM or SIGINT ends it. Requests that it has begun are finished.

  --config FILE   the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)

From the environment: DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS and what else Temporal's own tools read;
HOLDFAST_CURSOR_SECRET, the same for every API process; PORT (default: 3000); LOG_LEVEL.

Exit code: 0 ended in order; 1 something failed, or was not finished in time; 2 wrong usage.
`;

export const apiProcess: Command = {
  summary: 'run the API, in production',
  help: HELP,
  async run(args) {
    const { values, positionals } = readFlags(args, { config: { type: 'string' } });
    if (positionals.length > 0) throw new UsageError('api takes flags only');
    const { runApi } = await import('../run-api.ts');
    await runApi(values);
    return EXIT.done;
  },
};
