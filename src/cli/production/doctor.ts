import { messageOf } from '../../graph/values/index.ts';
import { CONFIG_FLAG } from '../input/config-flags.ts';
import { findConfig } from '../input/read-catalog.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { NO_OPERANDS } from '../line/operands.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'say what an installation lacks, and what mends it',
  operands: NO_OPERANDS,
  about: `Checks what API and workers need: Node and the configuration; with DATABASE_URL the database, its clock and its
    tables, unknown outcomes, the cursor secret and the keys of tokens; with TEMPORAL_ADDRESS or TEMPORAL_PROFILE the
    server's version, the namespace, its search attributes, how long it keeps histories, and task queues without workers.
    It changes nothing.`,
  flags: { config: CONFIG_FLAG },
  exits: { 0: 'nothing is wrong', 1: 'something is' },
  async action({ values }, terminal) {
    const { doctorChecks } = await import('./doctor-checks.ts');
    const checks = doctorChecks({ environment: terminal.env, configFile: findConfig(values.config, terminal) });
    let exit: number = EXIT.done;
    for (const { name, find, remedy } of checks) {
      const found = await find().catch((error: unknown) => ({ problem: messageOf(error) }));
      if (typeof found === 'string') terminal.stdout.write(`ok    ${name}: ${found}\n`);
      else {
        terminal.stdout.write(`FAIL  ${name}: ${found.problem}\n      ${remedy}\n`);
        exit = EXIT.failed;
      }
    }
    return exit;
  },
});
