import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Builds the console as `npm run build` does, so that tests see the one of today. */
export async function setup(): Promise<void> {
  // The tests' own NODE_ENV would make it one for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)('npm', ['run', 'build:console'], { env });
}
