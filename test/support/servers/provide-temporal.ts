import { provideTemporal } from '../../../src/dev/open-temporal.ts';

/** Provides the Temporal executable once before the tests, because a build takes longer than a test may. */
export async function setup(): Promise<void> {
  await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`));
}
