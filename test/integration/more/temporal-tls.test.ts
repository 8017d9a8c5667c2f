import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import { connect } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnection } from '../../../src/api/temporal/engine.ts';
import { readTemporalTarget, temporal } from '../../../src/process/temporal.ts';
import { setVariables } from '../../../src/process/process-options.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { hasStatus } from '../../support/readers/api-runs.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { makeCertificates, tlsOptions } from '../../support/servers/certificates.ts';
import type { Certificates } from '../../support/servers/certificates.ts';
import { holdfast } from '../../support/servers/command-line.ts';
import type { CommandOutput } from '../../support/servers/command-line.ts';
import { reserveServers } from '../../support/servers/reserve-servers.ts';
import { startTestStack } from '../../support/servers/test-stack.ts';

let folder: string;
let certificates: Certificates;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-tls-'));
  certificates = await makeCertificates(folder);
});
afterAll(async () => await rm(folder, { recursive: true }));

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Opens a TLS proxy for a server without TLS. @returns its address */
async function openTls(target: string): Promise<{ readonly server: Server; readonly address: string }> {
  const [host = '', port = ''] = target.split(':');
  const server = createServer(await tlsOptions(certificates), (secure) => {
    pipeline(secure, connect(Number(port), host), secure, () => undefined);
  });
  return { server, address: await addressOf(server) };
}

const withoutClient = (): NodeJS.ProcessEnv => ({
  TEMPORAL_TLS: 'true',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.authority,
});
const withClient = (): NodeJS.ProcessEnv => ({
  ...withoutClient(),
  TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.client.certificate,
  TEMPORAL_TLS_CLIENT_KEY_PATH: certificates.client.key,
});

test('a stack works with a Temporal server that requires mTLS', async () => {
  const place = await reserveServers();
  const { server, address } = await openTls(place['TEMPORAL_ADDRESS'] ?? '');
  const stack = await startTestStack({}, { ...place, ...withClient(), TEMPORAL_ADDRESS: address });
  const { body } = await stack.as('user').post('/api/runs', { graph: aDefinition() });
  expect(await stack.as('user').untilRun(textAt(body, '/id'), hasStatus('completed'))).toMatchObject({ error: null });
  await expect(startTestStack({}, { ...place, ...withoutClient(), TEMPORAL_ADDRESS: address })).rejects.toThrow(
    'Failed to connect',
  );
  await stack.stop();
  server.close();
});

test('the command line connects to Temporal by the same environment variables as the stack', async () => {
  const place = await reserveServers();
  const { server, address } = await openTls(place['TEMPORAL_ADDRESS'] ?? '');
  const told = async (variables: NodeJS.ProcessEnv): Promise<CommandOutput> =>
    await holdfast(
      ['setup', '--dry-run', '--wait', '0s'],
      definedIn({ ...place, ...variables, TEMPORAL_ADDRESS: address }),
    );
  expect(await told(withClient())).toMatchObject({ code: 0, stdout: expect.stringContaining('there    namespace: ') });
  expect(await told(withoutClient())).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('FAIL     namespace: '),
  });
  server.close();
});

const definedIn = (environment: NodeJS.ProcessEnv): Record<string, string> => ({ ...setVariables(environment) });

test.each([
  ['an API', openConnection],
  ['a worker', NativeConnection.connect.bind(NativeConnection)],
] as const)('%s sends its API key to Temporal over TLS', async (_who, connectTo) => {
  const keys: unknown[] = [];
  const server = createSecureServer(await tlsOptions(certificates)).on('stream', (stream, { authorization }) => {
    keys.push(authorization);
    const refusal = { 'grpc-status': '16', 'grpc-message': 'wrong key' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
  });
  const TEMPORAL_ADDRESS = await addressOf(server);
  const target = readTemporalTarget({ ...withClient(), TEMPORAL_ADDRESS, TEMPORAL_API_KEY: 'key-of-the-cloud' });
  await expect(temporal<Awaited<ReturnType<typeof connectTo>>>(target, connectTo).open()).rejects.toThrow('wrong key');
  expect(new Set(keys)).toEqual(new Set(['Bearer key-of-the-cloud']));
  server.close();
});

test('missing TLS certificate files are reported as problems of the settings', () => {
  const environment = { TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere.pem', TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere.key' };
  expect(() => readTemporalTarget(environment)).toThrow(/^Temporal's settings can't be used:\n {2}.*nowhere/);
});
