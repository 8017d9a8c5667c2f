import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { QUIET_FLAG, STACK_FLAGS, readStackOptions } from './stack-flags.ts';
import { option } from '../line/flags.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'run all of it on this machine',
  operands: NO_OPERANDS,
  about: `Starts the API, a Temporal dev server with its Web UI, a worker, an embedded PostgreSQL and a local token
    issuer. It prints a line for each thing that happens to a run. Stopped and started again, it continues its runs.
    TEMPORAL_ADDRESS and DATABASE_URL take servers of yours instead of its own.`,
  flags: {
    ...STACK_FLAGS,
    json: option('prints one line of JSON once everything answers, and nothing else'),
    quiet: QUIET_FLAG,
  },
  exits: { 0: 'stopped by a signal', 1: 'something failed' },
  async action({ values }, { goOnUnread }) {
    goOnUnread();
    const options = { ...readStackOptions(values), json: values.json, quiet: values.quiet };
    const stack = await import('../../dev/start.ts');
    await stack.start(options);
    return EXIT.done;
  },
});
