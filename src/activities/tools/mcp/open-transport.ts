import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { GuardedFetch } from '../../../network/guarded-request.ts';
import { resolveHeaders, resolveTexts } from '../../secrets.ts';
import type { UsedSecrets } from '../../secrets.ts';
import { HttpTransport } from './http-transport.ts';
import { MAX_STREAM_BYTES, boundAnswers } from './bound-answers.ts';
import type { McpAddress, McpProgram, McpServerSettings } from './server-settings.ts';
import { unreachableServer } from './to-call-error.ts';

export interface TransportDeps {
  readonly fetch: GuardedFetch;
  /** The secrets of this server. */
  readonly secrets: UsedSecrets;
}

/** A transport that is not connected yet. */
export interface ServerTransport {
  readonly transport: ProgramTransport | HttpTransport;
  /** The end of a program's standard error output. */
  errorOutput(): string;
}

export async function openMcpTransport(settings: McpServerSettings, access: TransportDeps): Promise<ServerTransport> {
  return 'command' in settings ? await openProgram(settings, access) : openAddress(settings, access);
}

async function openProgram(
  { command, args, env, cwd }: McpProgram,
  { secrets }: TransportDeps,
): Promise<ServerTransport> {
  const transport = new ProgramTransport({
    command,
    args: [...args],
    env: await resolveTexts(env, secrets),
    stderr: 'pipe',
    maxBufferSize: MAX_STREAM_BYTES,
    ...(cwd !== undefined && { cwd }),
  });
  const decoder = new TextDecoder();
  let output = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    output += decoder.decode(chunk, { stream: true });
    if (output.length > 2 * MAX_BUFFERED) output = secrets.redact(output).slice(-MAX_BUFFERED);
  });
  return { transport, errorOutput: () => secrets.redact(output).trim().slice(-MAX_REPORTED) };
}

/** In characters; enough to see why a program ended. */
const MAX_REPORTED = 500;
/** Above Linux' limit for an environment variable (128 KiB), so that no secret in the output is cut. */
const MAX_BUFFERED = 150_000;

function openAddress({ url, headers }: McpAddress, { fetch, secrets }: TransportDeps): ServerTransport {
  const resolvedHeaders = async () => await resolveHeaders(headers, secrets);
  return {
    transport: new HttpTransport({ url: new URL(url), fetch, headers: resolvedHeaders }),
    errorOutput: () => '',
  };
}

/** A program that speaks over standard input and output. The SDK's own transport answers without limit. */
export class ProgramTransport extends StdioClientTransport {
  #isClosing = false;
  readonly #sendBounded = boundAnswers(() => void this.close());

  override async send(message: JSONRPCMessage): Promise<void> {
    // The program may take some seconds to end; the session ends when it has.
    if (this.#isClosing) throw unreachableServer('The program is being ended');
    await this.#sendBounded(message, async () => await super.send(message));
  }

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }
}
