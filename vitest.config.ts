import { defineConfig } from 'vitest/config';

/* The folder of a test decides its project; what stands in none of these is a unit test, which starts no server. */
const INTEGRATION = ['test/integration/**/*.test.ts', 'test/replay/{replay,interpreter-version,time-zones}.test.ts'];
const SMOKE = 'test/system/smoke/**/*.test.ts';
const SYSTEM = 'test/system/**/*.test.ts';

/** Temporal's SDK loads our code by `require`. */
const withServers = {
  setupFiles: ['test/support/servers/require-typescript.ts'],
  testTimeout: 60_000,
};

export default defineConfig({
  test: {
    pool: 'forks',
    hookTimeout: 120_000,
    // Tests that run at the same time do so because they mostly wait.
    maxConcurrency: 20,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...INTEGRATION, SYSTEM],
          // A process evaluates each module once: a test that changes a global puts it back.
          isolate: false,
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: INTEGRATION,
          ...withServers,
          globalSetup: ['test/support/servers/provide-workflow.ts', 'test/support/servers/shared-servers.ts'],
          // Integration files mostly wait, so three share two processors.
          maxWorkers: 3,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      // Processes die in these. The long ones run one file at a time, so that nothing is slow because of another.
      ...[
        { name: 'smoke', include: [SMOKE], exclude: [], maxWorkers: 3 },
        { name: 'system', include: [SYSTEM], exclude: [SMOKE], maxWorkers: 1 },
      ].map((files, at) => ({
        extends: true as const,
        test: {
          ...files,
          ...withServers,
          globalSetup: ['test/support/servers/provide-workflow.ts', 'test/support/servers/provide-temporal.ts'],
          sequence: { groupOrder: 2 + at },
        },
      })),
    ],
  },
});
