import { createGuardedRequest } from '../../../src/network/guarded-request.ts';
import { createEnvironmentSecrets } from '../../../src/activities/secrets.ts';
import { createHttpTool } from '../../../src/activities/tools/http-tool.ts';
import type { HttpTool, HttpToolSettings } from '../../../src/activities/tools/http-tool.ts';

/** A text that is part of each secret, and of nothing else. */
export const CANARY = 'canary-4711';

const SECRETS = {
  PAY_KEY: `Bearer ${CANARY}`,
  BROKEN_KEY: `${CANARY}\nx`,
  EMPTY_KEY: '',
  PIN: '1234567',
};

/** Builds an HTTP tool that may reach one local address and those in `allow`; `path` follows the address in the URL. */
export function aHttpTool(
  address: string,
  { path = '/pay', ...over }: Partial<HttpToolSettings> & { path?: string } = {},
  allow: readonly string[] = [],
): HttpTool {
  const settings: HttpToolSettings = {
    name: 'pay',
    description: 'Pay',
    parameters: true,
    effect: 'keyed',
    method: 'POST',
    url: `http://${address}${path}`,
    ...over,
  };
  return createHttpTool(settings, {
    request: createGuardedRequest([address, ...allow]),
    secrets: createEnvironmentSecrets(SECRETS),
  });
}
