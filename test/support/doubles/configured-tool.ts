import type { HttpToolInput } from '../../../src/config/tool.ts';
import type { LoopbackServer } from './loopback-server.ts';

/** A tool of a configuration that posts whatever it is given to a server of the test, and is tried once. */
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
