import { EXIT, UsageError } from './command.ts';
import type { Command } from './command.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast worker [flags]

Runs a worker until SIGTERM or SIGINT ends it. Runs and calls that it has begun are finished, or go on elsewhere.

  --config FILE   the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)

From the environment: DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS and what else Temporal's own tools read; LOG_LEVEL;
HOLDFAST_HEALTH_PORT, where it answers probes; HOLDFAST_TASK_QUEUES, the queues that it serves.

Exit code: 0 ended in order; 1 something failed, or was not finished in time; 2 wrong usage.
`;

export const workerProcess: Command = {
  summary: 'run a worker, in production',
  help: HELP,
  async run(args) {
    const { values, positionals } = readFlags(args, { config: { type: 'string' } });
    if (positionals.length > 0) throw new UsageError('worker takes flags only');
    const { runWorker } = await import('../run-worker.ts');
    await runWorker(values);
    return EXIT.done;
  },
};
