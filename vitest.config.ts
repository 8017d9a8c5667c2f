import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/runner/longest-first.ts';
import { UnendedTests } from './test/support/runner/unended-tests.ts';

/* The folder of a test decides its project; what stands in none of these is a unit test, which starts no server. */
const INTEGRATION = ['test/integration/**/*.test.ts', 'test/replay/{replay,interpreter-version,time-zones}.test.ts'];
const MORE = 'test/integration/more/**/*.test.ts';
const SMOKE = 'test/system/smoke/**/*.test.ts';
const SYSTEM = 'test/system/**/*.test.ts';
/* These take a browser. */
const CONSOLE = 'test/console/**/*.test.ts';
/* These run what `npm run build` makes, on a Temporal server with PostgreSQL. */
const CLUSTER = 'test/system/cluster/**/*.test.ts';
/* Their limits hold for a machine that does nothing else. */
const ALONE = 'test/system/{benches,compose,dev,hostile,many-large-runs,package,poisoned-runs,schemathesis}.test.ts';

const PROVIDES_SERVER = 'test/support/cluster/provide-temporal-server.ts';
const PROVIDES_PROMQL = 'test/support/promql/provide-promql.ts';
const BUILDS_CONSOLE = 'test/support/browser/build-console.ts';

/** Temporal's SDK loads our code by `require`. */
const withServers = {
  setupFiles: ['test/support/servers/require-typescript.ts', 'test/support/runner/name-test-file.ts'],
  testTimeout: 120_000,
};

/** The package's own name leads to its source, as `paths` of tsconfig.json says. */
const alias = [
  { find: /^holdfast$/, replacement: fileURLToPath(new URL('src/index.ts', import.meta.url)) },
  { find: /^holdfast\/(.+)$/, replacement: fileURLToPath(new URL('src/$1/index.ts', import.meta.url)) },
];

export default defineConfig({
  resolve: { alias },
  test: {
    pool: 'forks',
    // A process that V8 ends says why in a file there.
    execArgv: ['--report-on-fatalerror', `--report-directory=${tmpdir()}`],
    hookTimeout: 120_000,
    // At the end the histories of all runs are replayed.
    teardownTimeout: 1_800_000,
    // Tests that run at the same time do so because they mostly wait.
    maxConcurrency: 20,
    // Soon enough not to slow a test down, long enough for a busy machine.
    expect: { poll: { interval: 25, timeout: 15_000 } },
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new UnendedTests()],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{test,examples,templates}/**/*.test.ts'],
          exclude: [...INTEGRATION, SYSTEM, CONSOLE],
          // By default one of two processors stays idle.
          maxWorkers: 2,
          // A process evaluates each module once: a test that changes a global puts it back.
          isolate: false,
          testTimeout: 20_000,
        },
      },
      // Files mostly wait, so four share two processors. `more` and `system` are in `npm run test:full` alone.
      ...[
        { name: 'integration', include: INTEGRATION, exclude: [MORE] },
        { name: 'more', include: [MORE], exclude: [] },
      ].map((files) => ({
        extends: true as const,
        test: {
          ...files,
          ...withServers,
          globalSetup: ['test/support/servers/provide-workflow.ts', 'test/support/servers/shared-servers.ts'],
          maxWorkers: 4,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      })),
      // Processes die in these, and what goes on mostly waits for that.
      ...[
        { name: 'smoke', include: [SMOKE], exclude: [], maxWorkers: 4, order: 1 },
        {
          name: 'system',
          include: [SYSTEM],
          exclude: [SMOKE, ALONE, CLUSTER],
          maxWorkers: 3,
          order: 2,
          setup: [PROVIDES_PROMQL],
        },
        { name: 'alone', include: [ALONE], exclude: [], maxWorkers: 1, order: 3 },
        // After `alone`, whose test of the package has made the build.
        { name: 'cluster', include: [CLUSTER], exclude: [], maxWorkers: 1, order: 4, setup: [PROVIDES_SERVER] },
        { name: 'console', include: [CONSOLE], exclude: [], maxWorkers: 1, order: 4, setup: [BUILDS_CONSOLE] },
      ].map(({ order, setup = [], ...files }) => ({
        extends: true as const,
        test: {
          ...files,
          ...withServers,
          globalSetup: [
            'test/support/servers/provide-workflow.ts',
            'test/support/servers/provide-temporal.ts',
            ...setup,
          ],
          sequence: { groupOrder: order },
        },
      })),
    ],
  },
});
