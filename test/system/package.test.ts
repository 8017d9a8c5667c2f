import { readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTeardown } from '../../src/dev/teardown.ts';
import { chainOf } from '../support/builders/builders.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import { packagesReachedBy } from '../support/readers/declarations.ts';
import { codeIn } from '../support/readers/documentation.ts';
import { startDev } from '../support/servers/developed-project.ts';
import type { DevelopedProject } from '../support/servers/developed-project.ts';
import { installPackage } from '../support/servers/installed-package.ts';
import type { InstalledPackage } from '../support/servers/installed-package.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';

const PAGE = 'docs/project.md';
const MAX_BYTES = 5_000_000;
const PGLITE = 'node_modules/@electric-sql';

const [config = '', graph = ''] = codeIn(PAGE, 'ts');
const [definition = ''] = codeIn(PAGE, 'json');
const asScript = `${graph.replace('StateGraph }', 'StateGraph, defineTool }').replace(/^export /m, '')}
console.log(JSON.stringify(greeting.compile()));
console.error(typeof defineTool);
`;

let project: InstalledPackage;
const { start, tokensFile, dataFile } = useNpmStart(() => project.folder);
beforeAll(async () => {
  project = await installPackage();
  await project.addPackages('typescript', '@electric-sql/pglite', '@types/node', 'vitest');
  await project.write('holdfast.config.ts', config);
  await project.write('graphs/greeting.json', definition);
}, 300_000);
afterAll(async () => {
  await project.remove();
});

describe('the tarball', () => {
  test('the npm tarball contains the runtime files and little else', () => {
    const strange = /(?:^|\/)(?:test|bench|src|lint)\/|\.test\.|(?<!\.d)\.ts$|tsconfig|Dockerfile|\.map$/;
    expect(project.files).toContain('dist/workflow-bundle.js');
    expect(project.files).toContain('CHANGELOG.md');
    expect(project.files).toContain('console/dist/index.html');
    expect(project.files).toContain('templates/refund/graphs/refund.ts');
    const others = project.files.filter((path) => !path.startsWith('templates/'));
    expect(others.filter((path) => strange.test(path))).toEqual([]);
    expect(project.size).toBeLessThan(MAX_BYTES);
  });

  test.each([
    ['publint', ['--strict']],
    ['attw', ['--profile', 'esm-only', '--no-emoji']],
  ])('the npm tarball passes %s', async (program, flags) => {
    expect(await project.run(program, project.tarball, ...flags)).toMatchObject({ code: 0 });
  });

  test.each([
    ['index', ['@marcbachmann/cel-js', 'zod']],
    ['testing/index', ['@marcbachmann/cel-js', 'zod']],
    ['client/index', ['zod']],
    ['run-worker', []],
    ['run-api', []],
  ])('the types of %s reach no packages but %j', (entry, packages) => {
    const declarations = join(project.folder, 'node_modules/holdfast/dist', `${entry}.d.ts`);
    expect(packagesReachedBy(declarations)).toEqual(packages);
  });

  test('the npm tarball contains no path of the machine that built it', async () => {
    const bundle = await readFile(join(project.folder, 'node_modules/holdfast/dist/workflow-bundle.js'), 'utf8');
    const [code = '', map = ''] = bundle.split(';base64,');
    const sources = Buffer.from(map, 'base64').toString();
    expect(sources).toContain('./src/workflows/run-graph.ts');
    expect(`${code}${sources}`).not.toContain(process.cwd());
  });
});

describe('a project in TypeScript', () => {
  beforeAll(async () => {
    await project.write('graph.ts', graph);
    await project.write(
      'processes.ts',
      "export { runApi } from 'holdfast/api';\nexport { runWorker } from 'holdfast/worker';\n",
    );
    await project.run('tsc', '--init');
    await project.write(
      'nodenext.json',
      '{ "compilerOptions": { "module": "nodenext", "types": [] }, "files": ["graph.ts"] }',
    );
  });

  test.each(['tsconfig.json', 'nodenext.json'].flatMap((file) => ['true', 'false'].map((skip) => [file, skip])))(
    'a project in TypeScript is checked by %s with skipLibCheck %s',
    async (file, skip) => {
      expect(await project.run('tsc', '-p', file, '--noEmit', '--skipLibCheck', skip)).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    },
  );

  test.each([
    ['as a package in CommonJS', 'commonjs/holdfast.config.ts'],
    ['from a folder without the package', '../elsewhere/holdfast.config.mts'],
  ])('a project in TypeScript is configured %s', async (_, file) => {
    await project.write(join(dirname(file), 'package.json'), '{}');
    await project.write(file, config);
    const validated = await project.run('holdfast', 'validate', 'graphs/greeting.json', '--config', file);
    expect(validated).toMatchObject({ code: 0, stdout: '1 file: 0 errors, 0 warnings\n' });
  });
});

test.each(['graph.mjs', 'graph.cjs'])('a project in JavaScript compiles a graph in %s', async (file) => {
  const script = asScript.replace(
    /^import (.*) from (.*);$/m,
    file.endsWith('.cjs') ? 'const $1 = require($2);' : '$&',
  );
  await project.write(file, script);
  const { stdout, stderr } = await project.run(process.execPath, file);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(definition));
  expect(stderr).toContain('function');
});

describe.each(['refund', 'blank', 'chat'])('a project that init creates from the template %s', (template) => {
  test(
    'a project that init creates passes its tests, its type check and its validation',
    { timeout: 120_000 },
    async () => {
      expect(await project.run('create-holdfast', template, '--template', template)).toMatchObject({ code: 0 });
      expect(await project.runIn(template, 'vitest', 'run')).toMatchObject({ code: 0 });
      expect(await project.runIn(template, 'tsc')).toEqual({ code: 0, stdout: '', stderr: '' });
      const [graph = ''] = await readdir(join(project.folder, template, 'graphs'));
      expect(await project.runIn(template, 'holdfast', 'validate', `graphs/${graph}`)).toMatchObject({ code: 0 });
    },
  );
});

describe('a refund project', () => {
  let dev: DevelopedProject;
  let began = 0;
  beforeAll(() => {
    began = performance.now();
    dev = startDev(join(project.folder, 'refund'), join(project.folder, 'node_modules/holdfast'));
  });
  afterAll(async () => await dev.stop());
  const holdfast = async (...args: readonly string[]) => await project.runIn('refund', 'holdfast', ...args);
  const refund = async (order: string, euros: number) =>
    await holdfast('run', 'graphs/refund.ts', '--input', JSON.stringify({ order, euros }), '--quiet');
  const tell = (what: string, since: number): void =>
    void process.stdout.write(`${what} after ${Math.round(performance.now() - since)} ms\n`);

  test(
    'a project from the refund template has its first refund approved, by the command that dev prints',
    { timeout: 120_000 },
    async () => {
      await dev.untilLine(/^published refund, version 1/);
      expect(await refund('A-1002', 300)).toMatchObject({ code: 3 });
      const [, command = ''] = /npx holdfast (.*)$/.exec(await dev.untilLine(/npx holdfast approve/)) ?? [];
      expect(await holdfast(...command.split(' '))).toMatchObject({ code: 0 });
      await dev.untilLine(/completed: \{"receipt":"R-1",/);
      tell('the first refund was approved', began);
    },
  );

  test('a project from the refund template uses an edited tool at once', { timeout: 120_000 }, async () => {
    const edited = performance.now();
    await dev.edit('tools/refund-tools.ts', '`R-${', '`NEW-${');
    await dev.untilLine(/^reloaded in \d+\.\d s/);
    tell('an edited tool was loaded', edited);
    expect(JSON.parse((await refund('A-1001', 20)).stdout)).toMatchObject({ receipt: 'NEW-1' });
  });

  test(
    'a project from the refund template promotes a run to a test, which detects a change of behavior',
    { timeout: 120_000 },
    async () => {
      const [, run = ''] = /refund (\w{26})/.exec(await dev.untilLine(/completed: \{"receipt":"NEW-1",/)) ?? [];
      expect(await holdfast('promote', run, '--to', 'refund.json')).toMatchObject({ code: 0 });
      expect(await holdfast('eval', 'refund.json')).toMatchObject({ code: 0 });
      await dev.edit('graphs/refund.ts', "when: 'state.euros > 100.0'", "when: 'state.euros > 10.0'");
      await dev.untilLine(/^published refund, version 2/);
      expect(await holdfast('eval', 'refund.json', '--graph', 'graphs/refund.ts')).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('ask'),
      });
    },
  );
});

describe('the commands of the package', () => {
  test(
    'the commands of the package start a complete stack without bundling workflow code, and run a graph',
    { timeout: 120_000 },
    async () => {
      await rm(join(project.folder, 'node_modules/swc-loader'), { recursive: true });
      await start(['node_modules/.bin/holdfast', 'start']);
      const input = JSON.stringify({ name: 'Ann' });
      const flags = ['--tokens-file', tokensFile(), '--input', input];
      const ran = await project.run('holdfast', 'run', 'graphs/greeting.json', ...flags);
      expect(ran).toMatchObject({ code: 0, stdout: '{\n  "greeting": "Hello Ann"\n}\n' });
      // The log is written with a delay.
      await expect.poll(() => readFile(dataFile('holdfast.log'), 'utf8')).toContain('somebody is greeted');
    },
  );

  test(
    'the commands of the package print how to install the embedded PostgreSQL where it is missing',
    { timeout: 120_000 },
    async () => {
      const [from, to] = [PGLITE, 'elsewhere'].map((name) => join(project.folder, name));
      await rename(from ?? '', to ?? '');
      const said = await project.run('holdfast', 'start', '--port', '0', '--temporal-port', '0', '--ui-port', '0');
      await rename(to ?? '', from ?? '');
      expect(said).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('npm install --save-dev @electric-sql/pglite'),
      });
    },
  );

  test.each(['worker', 'api'])('the production command %s of the package reports what is missing', async (command) => {
    const said = await project.run('holdfast', command);
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('DATABASE_URL is not set') });
  });
});

describe('the build output of this repository', () => {
  const teardown = openTeardown();
  afterAll(async () => {
    await teardown.run();
  });

  test(
    'the build output of this repository contains a worker and an API that run a graph',
    { timeout: 120_000 },
    async () => {
      const postgres = await startPostgres();
      teardown.add(() => postgres.stop());
      const scripts = { worker: 'dist/worker.js', api: 'dist/api/server.js', isAwaited: true };
      const config = new URL('../../holdfast.config.ts', import.meta.url);
      const environment = { HOLDFAST_WORKFLOW_BUNDLE: '' };
      const databaseUrl = await postgres.createDatabase('holdfast');
      const { baseUrls, tokens } = await startProcesses({ databaseUrl, config, environment, ...scripts }, teardown);
      const user = createApiClient(baseUrls[0] ?? '', tokens.user);
      const nodes = { sum: { type: 'set', write: { total: '{{ 1 + 1 }}' } } };
      const graph = { name: 'sum', channels: { total: {} }, nodes, edges: chainOf(['sum']), output: ['total'] };
      const { body } = await user.post('/api/runs', { graph }, { prefer: 'wait=60' });
      expect(body).toMatchObject({ status: 'completed', output: { total: 2 } });
      expect(await user.get('/docs/swagger-ui.css')).toMatchObject({ status: 200 });
      expect(await user.get('/console/')).toMatchObject({ status: 200 });
    },
  );
});
