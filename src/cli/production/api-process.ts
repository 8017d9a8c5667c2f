import { EXIT } from '../line/command.ts';
import { CONFIG_FLAG } from '../input/config-flags.ts';
import { defineCommand } from '../line/define-command.ts';
import { NO_OPERANDS } from '../line/operands.ts';

export const apiProcess = defineCommand({
  name: 'api',
  summary: 'run the API, in production',
  operands: NO_OPERANDS,
  about: `Runs the API until SIGTERM or SIGINT ends it. Requests that it has begun are finished. From the environment:
    DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS and what else Temporal's own tools read; HOLDFAST_CURSOR_SECRET, the same
    for every API process; PORT (default: 3000); LOG_LEVEL.`,
  flags: { config: CONFIG_FLAG },
  exits: { 0: 'ended in order', 1: 'something failed, or was not finished in time' },
  async action({ values }, { goOnUnread }) {
    goOnUnread();
    const { runApi } = await import('../../run-api.ts');
    await runApi(values);
    return EXIT.done;
  },
});

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
