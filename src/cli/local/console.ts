import { existsSync } from 'node:fs';
import { issuerKeyIn, tokensFileIn } from '../../dev/data-folder.ts';
import { readTokensFile } from '../input/api-access.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { NO_OPERANDS } from '../line/operands.ts';
import { DATA_DIR_FLAG } from './stack-flags.ts';

export const console = defineCommand({
  name: 'console',
  summary: 'print the address of the console of a stack on this machine',
  operands: NO_OPERANDS,
  about: `Prints an address that signs in whoever opens it first, within a minute, as one of the stack's people. In
    production the console is at /console of the API, and the configuration says where people sign in.`,
  flags: {
    'data-dir': DATA_DIR_FLAG,
    'issuer-jwk': text('FILE', 'the private key, if the stack was given one'),
    'tokens-file': text('FILE', 'what the stack has written, if it is elsewhere'),
  },
  exits: { 0: 'printed' },
  async action({ values }, { stdout, env }) {
    const key = values['issuer-jwk'] ?? issuerKeyIn(values['data-dir']);
    const tokens = values['tokens-file'] ?? tokensFileIn(values['data-dir']);
    for (const file of [key, tokens])
      if (!existsSync(file)) throw new UsageError(`${file} is not there; "holdfast dev" or "holdfast start" makes it`);
    const [{ openIssuer }, { consoleAddress }] = await Promise.all([
      import('../../dev/issuer.ts'),
      import('../../dev/sign-in/local-sign-in.ts'),
    ]);
    const { baseUrl = '' } = await readTokensFile(tokens);
    stdout.write(`${await consoleAddress(baseUrl, await openIssuer(key, env))}\n`);
    return EXIT.done;
  },
});
