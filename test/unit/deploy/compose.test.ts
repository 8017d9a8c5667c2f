import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { readComposeFile, readEnvFile, readServices } from '../../support/deployment/compose-file.ts';
import type { ComposeService } from '../../support/deployment/compose-file.ts';
import { readImageFiles } from '../../support/deployment/image-files.ts';
import { readFile } from '../../support/readers/documentation.ts';

const DEMO = readEnvFile('deploy/demo.env');
const services = Object.entries(readServices(DEMO));
const ours = services.filter(([, { build }]) => build !== undefined);

/** `test/support/deployment/compose-spec.json` is that of https://github.com/compose-spec/compose-spec at 170098b. */
test('the Compose file matches the Compose specification', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const { $schema: _draft, ...schema } = JSON.parse(readFile('test/support/deployment/compose-spec.json'));
  const isValid = ajv.compile(schema);
  isValid(readComposeFile());
  expect(isValid.errors).toBeNull();
});

test('the Compose file contains no secrets, and names a variable that is missing', () => {
  const needed = ['POSTGRES_PASSWORD', 'AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL', 'HOLDFAST_CURSOR_SECRET'];
  for (const name of needed) expect(() => readServices({ ...DEMO, [name]: '' })).toThrow(`${name}: set it`);
  expect(needed.filter((name) => !(name in readEnvFile('.env.example')))).toEqual([]);
});

test('the demo profile of the Compose file adds only services that production does not need', () => {
  const demo = services.filter(([, { profiles }]) => profiles.length > 0).map(([name]) => name);
  expect(demo).toEqual(['issuer', 'model', 'shop', 'collector']);
  expect(DEMO).toMatchObject({ COMPOSE_PROFILES: 'demo', HOLDFAST_ENV_FILE: 'deploy/demo.env' });
});

test.each(ours)('the Compose service %s runs without privileges, with a read-only file system', (_name, service) => {
  expect(service).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
  expect(service['security_opt']).toEqual(['no-new-privileges:true']);
});

test('the Docker image contains the scripts of the commands, and runs them as an unprivileged user', () => {
  const { copied, command, environment, user } = readImageFiles();
  const isThere = (path: string): boolean => copied.some((each) => path === each || path.startsWith(`${each}/`));
  const scripts = ours.map(([, service]) => (service.command ?? command)[1] ?? '');
  expect(scripts.filter((script) => !isThere(script))).toEqual([]);
  expect(copied).toEqual(
    expect.arrayContaining(['holdfast.config.*', 'tools', 'graphs', 'node_modules', 'package.json']),
  );
  expect([user, environment]).toEqual(['node', { NODE_ENV: 'production' }]);
  expect(readFile('.dockerignore').split('\n')).toEqual(
    expect.arrayContaining(['.env', '.git', '.holdfast', 'node_modules']),
  );
});

const waitsFor = ([name, { depends_on: needs }]: readonly [string, ComposeService]) =>
  Object.entries(needs).map(([needed, { condition }]) => ({ name, needed, condition }));

test('a Compose service that depends on another waits until it is healthy, or has completed', () => {
  const byName = new Map(services);
  for (const { name, needed, condition } of services.flatMap(waitsFor)) {
    const isHealthy = byName.get(needed)?.healthcheck !== undefined;
    expect({ name, needed, condition }).toMatchObject({
      condition: isHealthy ? 'service_healthy' : 'service_completed_successfully',
    });
  }
  const health = services.filter(([, { healthcheck }]) => !healthcheck).map(([name]) => name);
  expect(health).toEqual(['temporal-schema', 'temporal-ui', 'setup', 'collector']);
});

test('the ports of the Compose file are open to this machine only, and its images have versions', () => {
  const ports = services.flatMap(([, service]) => service.ports);
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  const images = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
  expect(images.filter((image) => !/:\d/.test(image))).toEqual([]);
});

test('no URL of the Compose file contains a password', () => {
  const password = 'p@ss:w/rd';
  const found = Object.values(readServices({ ...DEMO, POSTGRES_PASSWORD: password })).flatMap(({ environment }) =>
    Object.values(environment).filter((value) => value.includes(password) && value !== password),
  );
  expect(found).toEqual([]);
});
