import { existsSync } from 'node:fs';
import { issuerKeyIn, tokensFileIn } from '../../dev/data-folder.ts';
import { didYouMean } from '../../graph/values/index.ts';
import { readTokensFile } from '../input/api-access.ts';
import { CONFIG_FLAG, findConfig } from '../input/read-catalog.ts';
import { EXIT, UsageError, defineCommand, switchFlag, textFlag, NO_OPERANDS, oneOperand } from '../line/command.ts';
import { DATA_DIR_FLAG } from './start.ts';

/* The commands that sign people in to a stack on this machine, by its own key. */

export const consoleCommand = defineCommand({
  name: 'console',
  summary: 'print the address of the console of a stack on this machine',
  operands: NO_OPERANDS,
  about: `Prints an address that signs in whoever opens it first, within a minute, as one of the stack's people. In
    production the console is at /console of the API, and the configuration says where people sign in.`,
  flags: {
    'data-dir': DATA_DIR_FLAG,
    'issuer-jwk': textFlag('FILE', 'the private key, if the stack was given one'),
    'tokens-file': textFlag('FILE', 'what the stack has written, if it is elsewhere'),
    json: switchFlag('prints { url } as JSON'),
  },
  exits: { 0: 'printed' },
  async action({ values }, { stdout, env }) {
    const key = values['issuer-jwk'] ?? issuerKeyIn(values['data-dir']);
    const tokens = values['tokens-file'] ?? tokensFileIn(values['data-dir']);
    for (const file of [key, tokens]) requireFile(file);
    const { consoleAddress, openIssuer } = await import('../../dev/issuer.ts');
    const { baseUrl = '' } = await readTokensFile(tokens);
    const url = await consoleAddress(baseUrl, await openIssuer(key, env));
    stdout.write(values.json ? `${JSON.stringify({ url })}\n` : `${url}\n`);
    return EXIT.done;
  },
});

export const tokenCommand = defineCommand({
  name: 'token',
  summary: 'print a token for a stack on this machine',
  operands: oneOperand('NAME', 'one name: user, approver, approver2, admin, otherTenantUser or a role'),
  about: `Signs a token for a caller of a local stack, for 30 days: user, approver, approver2, admin, or otherTenantUser;
    or for somebody with a role that the configuration defines, in the tenant "demo". Only the stack whose key it is accepts it; there is no such issuer in production.`,
  flags: {
    config: CONFIG_FLAG,
    'data-dir': DATA_DIR_FLAG,
    'issuer-jwk': textFlag('FILE', 'the private key, if the stack was given one'),
    json: switchFlag('prints { name, token } as JSON'),
  },
  exits: { 0: 'printed' },
  async action({ values, given: name }, terminal) {
    const key = values['issuer-jwk'] ?? issuerKeyIn(values['data-dir']);
    requireFile(key);
    const { CALLERS, openIssuer } = await import('../../dev/issuer.ts');
    const known = Object.entries(CALLERS).find(([caller]) => caller === name)?.[1];
    const roles = known ? [] : await configuredRoles(findConfig(values.config, terminal));
    const names = [...Object.keys(CALLERS), ...roles];
    if (!names.includes(name)) throw new UsageError(`There is no caller "${name}".${didYouMean(name, names)}`);
    const caller = known ?? { sub: name, tenant: CALLERS.user.tenant, roles: [name] };
    const token = await (await openIssuer(key, terminal.env)).sign(caller);
    terminal.stdout.write(values.json ? `${JSON.stringify({ name, token })}\n` : `${token}\n`);
    return EXIT.done;
  },
});

/** The roles of the configuration, if there is one. */
async function configuredRoles(config: string | undefined): Promise<readonly string[]> {
  if (config === undefined) return [];
  const { loadConfig } = await import('../../config/load-config.ts');
  return [...(await loadConfig(config)).roles.keys()];
}

/** @throws UsageError without the file */
function requireFile(file: string): void {
  if (!existsSync(file)) throw new UsageError(`${file} is not there; "holdfast dev" or "holdfast start" makes it`);
}
