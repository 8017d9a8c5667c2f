import { messageOf, parseDuration } from '../../graph/values/index.ts';
import { SetupSettings, readSettings } from '../../config/settings.ts';
import { UsageError, EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { switchFlag, textFlagOr } from '../line/flags.ts';
import { NO_OPERANDS } from '../line/operands.ts';

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
  },
  exits: { 0: 'all is there', 1: 'something is missing' },
  async action({ values }, { env, stdout }) {
    const { setupSteps } = await import('./setup-steps.ts');
    const { takeSetupStep } = await import('./take-step.ts');
    const { DATABASE_URL: databaseUrl } = readSettings(SetupSettings, env);
    const retentionMs = readTimeFlag('--retention', values.retention);
    const untilMs = Date.now() + readTimeFlag('--wait', values.wait);
    let exit: number = EXIT.done;
    for (const step of setupSteps({ environment: env, databaseUrl, retentionMs })) {
      const { isThere, line } = await takeSetupStep(step, { isDry: values['dry-run'], untilMs }).catch(
        (error: unknown) => ({
        isThere: false,
        line: `FAIL     ${step.name}: ${messageOf(error)}\n         ${step.remedy}`,
        }),
      );
      stdout.write(`${line}\n`);
      if (!isThere) exit = EXIT.failed;
    }
    return exit;
  },
});

function readTimeFlag(flag: string, value: string): number {
  const ms = parseDuration(value);
  if (ms === null) throw new UsageError(`${flag} takes a duration such as 30s or 7d, not "${value}"`);
  return ms;
}
