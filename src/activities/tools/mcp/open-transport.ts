import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { GuardedFetch } from '../../http/guarded-fetch.ts';
import { resolveHeaders, resolveTexts } from '../../secrets.ts';
import type { UsedSecrets } from '../../secrets.ts';
import { HttpTransport } from './http-transport.ts';
import { MAX_STREAM_BYTES } from './limited.ts';
import type { McpAddress, McpProgram, McpServerSettings } from './server-settings.ts';

export interface Access {
  readonly fetch: GuardedFetch;
  /** The secrets that this server uses. */
  readonly secrets: UsedSecrets;
}

/** A way to a server that nobody has gone yet. */
export interface Way {
  readonly transport: StdioClientTransport | HttpTransport;
  /** The last that a program has said on its standard error output. */
  said(): string;
}

export async function openTransport(settings: McpServerSettings, access: Access): Promise<Way> {
  return 'command' in settings ? await openProgram(settings, access) : openAddress(settings, access);
}

async function openProgram({ command, args, env, cwd }: McpProgram, { secrets }: Access): Promise<Way> {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: await resolveTexts(env, secrets),
    stderr: 'pipe',
    maxBufferSize: MAX_STREAM_BYTES,
    ...(cwd !== undefined && { cwd }),
  });
  const decoder = new TextDecoder();
  let heard = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    heard += decoder.decode(chunk, { stream: true });
    if (heard.length > 2 * MAX_HEARD) heard = secrets.redact(heard).slice(-MAX_HEARD);
  });
  return { transport, said: () => secrets.redact(heard).trim().slice(-MAX_SAID) };
}

/** So much of what a program said last helps to understand why it ended. */
const MAX_SAID = 500;
/** More than Linux lets a variable of an environment hold (128 KiB), so that no secret that is being said is cut. */
const MAX_HEARD = 150_000;

function openAddress({ url, headers }: McpAddress, { fetch, secrets }: Access): Way {
  const resolved = async () => await resolveHeaders(headers, secrets);
  return { transport: new HttpTransport({ url: new URL(url), fetch, headers: resolved }), said: () => '' };
}
