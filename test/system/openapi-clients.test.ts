import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/*
 * Validators and generators of others read docs/openapi.json. They are installed in a folder of their own, because they
 * want another TypeScript.
 */

const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  await cp('test/openapi', folder, { recursive: true });
  await copyFile('docs/openapi.json', join(folder, 'openapi.json'));
  await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder });
}, 180_000);
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Runs a program of the folder. */
async function runThere(program: string, ...args: readonly string[]): Promise<void> {
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const options = { cwd: folder, env: environment, maxBuffer: 50_000_000 };
  await run(join(folder, 'node_modules/.bin', program), args, options);
}

const TO_CLIENT = ['--input', 'openapi.json', '--output', 'client', '--no-log-file'];

test.each<[string, string, readonly string[]]>([
  ['the validators of swagger-parser and openapi-schema-validator', '../../validate.mjs', ['openapi.json']],
  ['the linter of Redocly', 'redocly', ['lint', 'openapi.json', '--format=json']],
  ['the generator openapi-typescript', 'openapi-typescript', ['openapi.json', '--output', 'types.ts']],
  ['the generator of hey-api', 'openapi-ts', TO_CLIENT],
])('docs/openapi.json is accepted by %s', { timeout: 120_000 }, async (_what, program, args) => {
  await expect(runThere(program, ...args)).resolves.toBeUndefined();
});

const COMPILE = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--moduleResolution',
  'bundler',
  '--module',
  'esnext',
];

test('the types and clients generated from docs/openapi.json compile', { timeout: 120_000 }, async () => {
  await expect(runThere('tsc', ...COMPILE, 'types.ts', 'client/index.ts')).resolves.toBeUndefined();
});
