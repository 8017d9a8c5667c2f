import { existsSync } from 'node:fs';
import { z } from 'zod';
import { createClient } from '../../client/index.ts';
import type { Client } from '../../client/index.ts';
import { DATA_DIR, tokensFileIn } from '../../dev/data-folder.ts';
import { didYouMean, own } from '../../graph/values/index.ts';
import { UsageError, textFlag } from '../line/command.ts';
import type { Terminal } from '../line/command.ts';
import { setVariables } from '../../process/process-options.ts';
import { readTextFile } from './read-definition.ts';

/** The API's address and the caller's token. */
interface ApiAccess {
  readonly baseUrl: string;
  readonly token: string;
}

const LOCAL_TOKENS = tokensFileIn(DATA_DIR);

/** The entry of a tokens file that most commands use. */
const USER = 'user';

/** The flags of a command that calls the API. @param as the default entry of a tokens file */
export function accessFlags(as: string = USER) {
  return {
    url: textFlag('URL', 'where the API is (default: as in the tokens file, or HOLDFAST_URL)'),
    token: textFlag('TOKEN', 'who asks (default: HOLDFAST_TOKEN)'),
    'tokens-file': textFlag(
      'FILE',
      `the addresses and tokens of a local stack (default: ${LOCAL_TOKENS}, if it is there)`,
    ),
    as: textFlag('NAME', `whose token of that file to take (default: ${as})`),
  };
}

/** The exit codes of a command that calls the API. */
export const API_EXITS = { 6: "the API can't be reached, or refuses" } as const;

interface AccessValues {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly 'tokens-file'?: string | undefined;
  readonly as?: string | undefined;
}

/** Short outages are bridged by retries. */
const REQUEST_ATTEMPTS = 5;

/**
 * Creates a client from flags, a tokens file, the environment, or the tokens of the local stack, in this order.
 * @param as the default entry, as for `accessFlags`
 * @throws UsageError if address or token are missing, or if `--as` would have no effect
 */
export async function openClient(
  flags: AccessValues,
  terminal: Pick<Terminal, 'env'>,
  as: string = USER,
): Promise<Client> {
  return createClient({ ...(await readAccess(flags, as, terminal)), attempts: REQUEST_ATTEMPTS });
}

/** The people of the stack whose tokens file a command uses. */
export interface LocalClients {
  /** The name of the person whose token the command uses. */
  readonly reader: string;
  /** Clients with the tokens of the others of the tenant, by their names. */
  readonly others: ReadonlyMap<string, Client>;
}

/** The entries of a tokens file that are tokens of one tenant, those with fewer permissions first. */
const LOCAL_PEOPLE = [USER, 'approver', 'approver2', 'admin'] as const;

/** Opens clients of the others in the tokens file. @returns `null` if the command uses the token of no such file */
export async function openLocalClients(
  flags: AccessValues,
  { env }: Pick<Terminal, 'env'>,
): Promise<LocalClients | null> {
  const file = flags.token === undefined ? tokensFileFor(flags, setVariables(env)) : undefined;
  if (file === undefined) return null;
  const { as: reader = USER } = flags;
  const { baseUrl = '', ...tokens } = await readTokensFile(file);
  const others = LOCAL_PEOPLE.flatMap((name) => {
    const token = own(tokens, name);
    return name === reader || token === undefined ? [] : [[name, createClient({ baseUrl, token })] as const];
  });
  return { reader, others: new Map(others) };
}

async function readAccess(flags: AccessValues, as: string, { env }: Pick<Terminal, 'env'>): Promise<ApiAccess> {
  refuseContradictions(flags);
  const found = await readNamedAccess(flags, as, setVariables(env));
  const { url: baseUrl = found.baseUrl, token = found.token } = flags;
  if (!URL.canParse(baseUrl))
    throw new UsageError('Where is the API? Start one by "holdfast dev", or give --url, --tokens-file or HOLDFAST_URL');
  if (token === '') throw new UsageError('Who asks? Give --token, --tokens-file or HOLDFAST_TOKEN');
  return { baseUrl, token };
}

function refuseContradictions({ 'tokens-file': named, url, as, token }: AccessValues): void {
  if (named !== undefined && url !== undefined)
    throw new UsageError(`${named} has tokens for one address: give --token with --url, or --tokens-file alone`);
  if (as !== undefined && token !== undefined)
    throw new UsageError('Both --as and --token say who asks: give one of them');
}

async function readNamedAccess(flags: AccessValues, as: string, env: Terminal['env']): Promise<ApiAccess> {
  const file = tokensFileFor(flags, env);
  if (file !== undefined) return await readAccessOfTokens(file, flags.as ?? as);
  if (flags.as !== undefined)
    throw new UsageError('--as takes a token of a tokens file, and none is read: give --tokens-file, or no --as');
  return { baseUrl: env['HOLDFAST_URL'] ?? '', token: env['HOLDFAST_TOKEN'] ?? '' };
}

/** Tokens of the local stack are sent only to that stack. */
function tokensFileFor(
  { 'tokens-file': named, url }: AccessValues,
  { HOLDFAST_URL, HOLDFAST_TOKEN, HOLDFAST_TOKENS_FILE = LOCAL_TOKENS }: Terminal['env'],
): string | undefined {
  if (named !== undefined) return named;
  const isElsewhere = [url, HOLDFAST_URL, HOLDFAST_TOKEN].some((given) => given !== undefined);
  return isElsewhere || !existsSync(HOLDFAST_TOKENS_FILE) ? undefined : HOLDFAST_TOKENS_FILE;
}

async function readAccessOfTokens(file: string, as: string): Promise<ApiAccess> {
  const { baseUrl = '', ...tokens } = await readTokensFile(file);
  const token = own(tokens, as);
  if (token === undefined)
    throw new UsageError(`${file} has no token for "${as}".${didYouMean(as, Object.keys(tokens))}`);
  return { baseUrl, token };
}

const TokensFile = z.record(z.string(), z.string());

/** Reads the tokens file of a stack: `baseUrl`, other addresses and tokens. @throws UsageError for any other file */
export async function readTokensFile(file: string): Promise<Readonly<Record<string, string>>> {
  const content = await readTextFile(file);
  try {
    return TokensFile.parse(JSON.parse(content));
  } catch (error) {
    throw new UsageError(`${file} is no tokens file as "holdfast start" writes it`, { cause: error });
  }
}
