import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds the console as `npm run build` does, so that tests use the current code. */
export async function setup(): Promise<void> {
  // The NODE_ENV of the tests would cause a development build.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)('npm', ['run', 'build:console'], { env });
}
