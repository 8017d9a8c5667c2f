import { z } from 'zod';
import { didYouMean, own } from '../graph/values/index.ts';
import { UsageError } from './command.ts';
import type { Terminal } from './command.ts';
import { readText } from './read-definition.ts';

/** Where the API is, and who asks. */
export interface ApiAccess {
  readonly baseUrl: string;
  readonly token: string;
}

export interface AccessFlags {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly 'tokens-file'?: string | undefined;
  readonly as: string;
}

const TokensFile = z.record(z.string(), z.string());

/**
 * Takes the API's address and a token from flags, a file that `npm start` wrote, or the environment, in this order.
 * @throws UsageError when one of them is nowhere
 */
export async function readAccess(flags: AccessFlags, { env }: Pick<Terminal, 'env'>): Promise<ApiAccess> {
  const ofEnvironment = { baseUrl: env['HOLDFAST_URL'] ?? '', token: env['HOLDFAST_TOKEN'] ?? '' };
  const found = (await readWritten(flags)) ?? ofEnvironment;
  const { url: baseUrl = found.baseUrl, token = found.token } = flags;
  if (!URL.canParse(baseUrl)) throw new UsageError('Where is the API? Give --url, --tokens-file or HOLDFAST_URL');
  if (token === '') throw new UsageError('Who asks? Give --token, --tokens-file or HOLDFAST_TOKEN');
  return { baseUrl, token };
}

/** What the tokens file says, if there is one. */
async function readWritten({ 'tokens-file': file, as }: AccessFlags): Promise<ApiAccess | null> {
  if (file === undefined) return null;
  const { baseUrl = '', ...tokens } = await readTokensFile(file);
  const token = own(tokens, as);
  if (token === undefined)
    throw new UsageError(`${file} has no token for "${as}".${didYouMean(as, Object.keys(tokens))}`);
  return { baseUrl, token };
}

async function readTokensFile(file: string): Promise<Readonly<Record<string, string>>> {
  const text = await readText(file);
  try {
    return TokensFile.parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(`${file} is no tokens file as "npm start -- --tokens-file" writes it`, { cause: error });
  }
}
