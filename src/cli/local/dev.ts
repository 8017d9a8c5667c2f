import { dirname, resolve } from 'node:path';
import { createClient } from '../../client/index.ts';
import { findConfig } from '../input/read-catalog.ts';
import { QUIET_FLAG, STACK_FLAGS, readStackOptions } from './stack-flags.ts';
import { EXIT } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { NO_OPERANDS } from '../line/operands.ts';

export const dev = defineCommand({
  name: 'dev',
  summary: 'run all of it on this machine, and take up what is changed',
  operands: NO_OPERANDS,
  about: `Starts what "holdfast start" starts, and watches the project, which is the folder of the configuration. A
    changed graph is published anew; runs under way keep the version that they have begun with. After any other change
    new calls are made by the new code of tools, functions and configuration, while calls under way end with the old. It
    prints a line for each thing that happens to a run, and whatever is wrong with a change, with its place.`,
  flags: { ...STACK_FLAGS, quiet: QUIET_FLAG },
  exits: { 0: 'stopped by a signal', 1: 'something failed' },
  async action({ values }, terminal) {
    terminal.goOnUnread();
    const options = { ...readStackOptions(values), json: false, quiet: values.quiet };
    const { start } = await import('../../dev/start.ts');
    const starting = start({ ...options, publish: async () => undefined });
    const [stack, { develop }] = await Promise.all([starting, import('./develop.ts')]);
    await develop({
      stack,
      client: createClient({ baseUrl: stack.baseUrl, token: stack.tokens.user }),
      root: resolve(dirname(findConfig(options.config, terminal) ?? '.')),
      dataDir: options.dataDir,
      say: (line) => void terminal.stdout.write(`${line}\n`),
    });
    return EXIT.done;
  },
});
