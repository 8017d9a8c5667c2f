import { main } from '../../../dist/cli/main.js';

/* The command `holdfast` of a package, which a clone does not run. */

const { env, stdout, stderr } = process;
process.exitCode = await main(process.argv.slice(2), {
  env,
  stdout,
  stderr,
  interrupted: () => new AbortController().signal,
});
