import { existsSync } from 'node:fs';
import { issuerKeyIn } from '../../dev/data-folder.ts';
import { didYouMean } from '../../graph/values/index.ts';
import { EXIT, UsageError } from '../line/command.ts';
import { defineCommand } from '../line/define-command.ts';
import { text } from '../line/flags.ts';
import { oneOperand } from '../line/operands.ts';
import { DATA_DIR_FLAG } from './stack-flags.ts';

export const token = defineCommand({
  name: 'token',
  summary: 'print a token for a stack on this machine',
  operands: oneOperand('NAME', 'one name: user, approver, approver2, admin or otherTenantUser'),
  about: `Signs a token for a caller of a local stack, for 30 days: user, approver, approver2, admin, or otherTenantUser.
    Only the stack whose key it is accepts it; there is no such issuer in production.`,
  flags: { 'data-dir': DATA_DIR_FLAG, 'issuer-jwk': text('FILE', 'the private key, if the stack was given one') },
  exits: { 0: 'printed' },
  async action({ values, given: name }, { stdout, env }) {
    const key = values['issuer-jwk'] ?? issuerKeyIn(values['data-dir']);
    if (!existsSync(key)) throw new UsageError(`${key} is not there; "holdfast dev" or "holdfast start" makes it`);
    const { CALLERS, openIssuer } = await import('../../dev/issuer.ts');
    const caller = Object.entries(CALLERS).find(([known]) => known === name)?.[1];
    if (!caller) throw new UsageError(`There is no caller "${name}".${didYouMean(name, Object.keys(CALLERS))}`);
    stdout.write(`${await (await openIssuer(key, env)).sign(caller)}\n`);
    return EXIT.done;
  },
});
