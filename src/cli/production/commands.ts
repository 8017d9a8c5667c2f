import { CONFIG_FLAG, findConfig } from '../input/read-catalog.ts';
import { EXIT, UsageError, defineCommand, switchFlag, textFlagOr, NO_OPERANDS } from '../line/command.ts';
import type { Command } from '../line/command.ts';
import { SetupSettings, readSettings } from '../../config/settings.ts';
import { parseDuration } from '../../graph/values/index.ts';
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

export const setupCommand = defineCommand({
  name: 'setup',
  summary: 'make what API and workers need: namespace, search attributes, tables',
  operands: NO_OPERANDS,
  about: `Makes Temporal's namespace, its search attributes and the tables of the database, or brings them up to date. What
    is there stays as it is, so that it may be run before each start. It waits for servers that are away. From the
    environment: DATABASE_URL (PostgreSQL); TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and what else Temporal's own tools read.
    What it may not make, as in Temporal Cloud, it names with the way to make it.`,
  flags: {
    'dry-run': switchFlag('says what is missing, and makes nothing'),
    retention: textFlagOr('30d', 'TIME', 'for how long a namespace that it makes keeps the histories of ended runs'),
    wait: textFlagOr('1m', 'TIME', 'for how long it waits for servers that are away'),
    json: switchFlag('prints one line of JSON for each step'),
  },
  exits: { 0: 'all is there', 1: 'something is missing' },
  async action({ values }, { env, stdout }) {
    const { setupSteps, takeSetupStep, formatStep } = await import('./setup-steps.ts');
    const { DATABASE_URL: databaseUrl } = readSettings(SetupSettings, env);
    const retentionMs = readTimeFlag('--retention', values.retention);
    const untilMs = Date.now() + readTimeFlag('--wait', values.wait);
    let exit: number = EXIT.done;
    for (const step of setupSteps({ environment: env, databaseUrl, retentionMs })) {
      const result = await takeSetupStep(step, { isDry: values['dry-run'], untilMs });
      stdout.write(values.json ? `${JSON.stringify(result)}\n` : formatStep(result));
      if (result.state === 'missing' || result.state === 'failed') exit = EXIT.failed;
    }
    return exit;
  },
});

function readTimeFlag(flag: string, value: string): number {
  const ms = parseDuration(value);
  if (ms === null) throw new UsageError(`${flag} takes a duration such as 30s or 7d, not "${value}"`);
  return ms;
}

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'say what an installation lacks, and what mends it',
  operands: NO_OPERANDS,
  about: `Checks what API, workers and "holdfast dev" need: Node, the configuration and its graphs; with DATABASE_URL the database, its clock and its
    tables, unknown outcomes, the cursor secret and the keys of tokens; with TEMPORAL_ADDRESS or TEMPORAL_PROFILE the
    server's version, the namespace, its search attributes, how long it keeps histories, and task queues without workers;
    without these, what "holdfast dev" starts in their place. It changes nothing.`,
  flags: { config: CONFIG_FLAG, json: switchFlag('prints one line of JSON for each check') },
  exits: { 0: 'nothing is wrong', 1: 'something is' },
  readsEnvFile: true,
  async action({ values }, terminal) {
    const [{ doctorChecks }, { formatCheck, takeCheck }] = await Promise.all([
      import('./doctor-checks.ts'),
      import('./doctor-check.ts'),
    ]);
    const checks = doctorChecks({ environment: terminal.env, configFile: findConfig(values.config, terminal) });
    let exit: number = EXIT.done;
    for (const check of checks) {
      const result = await takeCheck(check);
      terminal.stdout.write(values.json ? `${JSON.stringify(result)}\n` : formatCheck(result));
      if (!result.ok) exit = EXIT.failed;
    }
    return exit;
  },
});
