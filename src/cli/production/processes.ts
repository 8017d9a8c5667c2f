import { EXIT } from '../line/command.ts';
import type { Command } from '../line/command.ts';
import { CONFIG_FLAG } from '../input/config-flags.ts';
import { defineCommand } from '../line/define-command.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import type { ProcessOptions } from '../../process/process-options.ts';

/* The commands that run the two processes of an installation. */

type ProcessTexts = Pick<Command, 'name' | 'summary' | 'about'>;

/** Makes the command of a process. @param run resolves when a signal has ended the process */
function processCommand(texts: ProcessTexts, run: (options: ProcessOptions) => Promise<void>): Command {
  return defineCommand({
    ...texts,
    operands: NO_OPERANDS,
    flags: { config: CONFIG_FLAG },
    exits: { 0: 'ended in order', 1: 'something failed, or was not finished in time' },
    async action({ values }, { continueWhenUnread }) {
      continueWhenUnread();
      await run(values);
      return EXIT.done;
    },
  });
}

export const apiProcess = processCommand(
  {
    name: 'api',
    summary: 'run the API, in production',
    about: `Runs the API until SIGTERM or SIGINT ends it. Requests that it has begun are finished. From the environment:
    DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS and what else Temporal's own tools read; HOLDFAST_CURSOR_SECRET, the same
    for every API process; PORT (default: 3000); LOG_LEVEL.`,
  },
  async (options) => await (await import('../../run-api.ts')).runApi(options),
);

export const workerProcess = processCommand(
  {
    name: 'worker',
    summary: 'run a worker, in production',
    about: `Runs a worker until SIGTERM or SIGINT ends it. Runs and calls that it has begun are finished, or go on
    elsewhere. From the environment: DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS and what else Temporal's own tools read;
    LOG_LEVEL; HOLDFAST_HEALTH_PORT, where it answers probes; HOLDFAST_TASK_QUEUES, the queues that it serves.`,
  },
  async (options) => await (await import('../../run-worker.ts')).runWorker(options),
);
