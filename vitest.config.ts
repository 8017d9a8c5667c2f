import { defineConfig } from 'vitest/config';

/** Tests that start servers and processes; after the others and one file at a time, so that nothing is slow because of them. */
const WITH_SERVERS = ['test/{api,e2e,workflows}/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    hookTimeout: 120_000,
    // Tests that run at the same time do so because they mostly wait.
    maxConcurrency: 20,
    projects: [
      {
        extends: true,
        test: { name: 'units', include: ['test/**/*.test.ts'], exclude: WITH_SERVERS, testTimeout: 20_000 },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: WITH_SERVERS,
          globalSetup: ['test/support/provide-temporal.ts'],
          setupFiles: ['test/support/require-typescript.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
        },
      },
    ],
  },
});
