import { z } from 'zod';
import { didYouMean, own } from '../graph/values/index.ts';
import { UsageError } from './command.ts';
import type { Terminal } from './command.ts';
import { readText } from './read-definition.ts';

/** The API's address and the caller's token. */
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
 * Reads the API's address and a token from flags, the tokens file of `npm start`, or the environment, in this order.
 * @throws UsageError if one of them is missing
 */
export async function readAccess(flags: AccessFlags, { env }: Pick<Terminal, 'env'>): Promise<ApiAccess> {
  const fromEnvironment = { baseUrl: env['HOLDFAST_URL'] ?? '', token: env['HOLDFAST_TOKEN'] ?? '' };
  const access = (await readTokens(flags)) ?? fromEnvironment;
  const { url: baseUrl = access.baseUrl, token = access.token } = flags;
  if (!URL.canParse(baseUrl)) throw new UsageError('Where is the API? Give --url, --tokens-file or HOLDFAST_URL');
  if (token === '') throw new UsageError('Who asks? Give --token, --tokens-file or HOLDFAST_TOKEN');
  return { baseUrl, token };
}

/** Reads the tokens file. @returns `null` if none is named */
async function readTokens({ 'tokens-file': file, as }: AccessFlags): Promise<ApiAccess | null> {
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
