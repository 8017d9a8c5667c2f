import { z } from 'zod';
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
  const file = flags['tokens-file'];
  const written = file === undefined ? {} : await readTokensFile(file);
  if (file !== undefined && flags.token === undefined && written[flags.as] === undefined)
    throw new UsageError(`${file} has no token for "${flags.as}"; it has ${Object.keys(written).join(', ')}`);
  const baseUrl = flags.url ?? written['baseUrl'] ?? env['HOLDFAST_URL'];
  const token = flags.token ?? written[flags.as] ?? env['HOLDFAST_TOKEN'];
  if (!baseUrl || !URL.canParse(baseUrl))
    throw new UsageError('Where is the API? Give --url, --tokens-file or HOLDFAST_URL');
  if (!token) throw new UsageError('Who asks? Give --token, --tokens-file or HOLDFAST_TOKEN');
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
