import { EXIT } from '../line/command.ts';
import { CONFIG_FLAG } from '../input/config-flags.ts';
import { defineCommand } from '../line/define-command.ts';
import { NO_OPERANDS } from '../line/operands.ts';

export const workerProcess = defineCommand({
  name: 'worker',
  summary: 'run a worker, in production',
  operands: NO_OPERANDS,
  about: `Runs a worker until SIGTERM or SIGINT ends it. Runs and calls that it has begun are finished, or go on
    elsewhere. From the environment: DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS and what else Temporal's own tools read;
    LOG_LEVEL; HOLDFAST_HEALTH_PORT, where it answers probes; HOLDFAST_TASK_QUEUES, the queues that it serves.`,
  flags: { config: CONFIG_FLAG },
  exits: { 0: 'ended in order', 1: 'something failed, or was not finished in time' },
  async action({ values }, { goOnUnread }) {
    goOnUnread();
    const { runWorker } = await import('../../run-worker.ts');
    await runWorker(values);
    return EXIT.done;
  },
});
