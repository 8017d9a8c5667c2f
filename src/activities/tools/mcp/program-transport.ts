import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { boundAnswers } from './bound-answers.ts';
import { unreachable } from './to-call-error.ts';

/** A program that speaks over standard input and output. The SDK's own transport answers without limit. */
export class ProgramTransport extends StdioClientTransport {
  #isClosing = false;
  readonly #sendBounded = boundAnswers(() => void this.close());

  override async send(message: JSONRPCMessage): Promise<void> {
    // The program may take some seconds to end; the session ends when it has.
    if (this.#isClosing) throw unreachable('The program is being ended');
    await this.#sendBounded(message, async () => await super.send(message));
  }

  override async close(): Promise<void> {
    this.#isClosing = true;
    await super.close();
  }
}
