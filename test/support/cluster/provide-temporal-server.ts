import { provideTemporalBinaries } from './temporal-binaries.ts';

/** Provides Temporal's server once before the tests, because a build takes longer than a test may. */
export async function setup(): Promise<void> {
  await provideTemporalBinaries((line) => process.stderr.write(`${line}\n`));
}
