import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Runs a command line in this process. */
export async function run(args) {
  // A clone has the source and runs it, by tsx; a package has what was built. Temporal's SDK loads our code by `require`.
  const source = new URL('../src/cli/main.ts', import.meta.url);
  const isClone = existsSync(source);
  if (isClone) {
    const [{ register }, { register: registerRequire }] = await Promise.all([
      import('tsx/esm/api'),
      import('tsx/cjs/api'),
    ]);
    registerRequire();
    register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
  }
  const { main } = await import(isClone ? source.href : '../dist/cli/main.js');
  const { env, stdout, stderr } = process;
  process.exitCode = await main(args, { env, stdout, stderr, interrupted });
}

/** Takes Ctrl-C, once. */
function interrupted() {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}
