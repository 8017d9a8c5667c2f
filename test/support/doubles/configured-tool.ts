import type { HttpToolInput } from '../../../src/config/tool.ts';
import type { LoopbackServer } from './loopback-server.ts';

/** Builds a configured tool that posts its arguments to a server of the test. Its calls have one attempt. */
export function aToolOf({ url }: Pick<LoopbackServer, 'url'>, over: Partial<HttpToolInput> = {}): HttpToolInput {
  return {
    name: 'work',
    description: 'Does the work',
    parameters: true,
    method: 'POST',
    url: `${url}/work`,
    effect: 'keyed',
    retry: { maxAttempts: 1 },
    ...over,
  };
}
