import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Runs a command line in this process. */
export async function run(args) {
  const { env, stdout, stderr } = process;
  const goOnUnread = endWhenUnread([stdout, stderr]);
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
  process.exitCode = await main(args, { env, stdout, stderr, interrupted, goOnUnread });
}

/** Takes Ctrl-C, once. */
function interrupted() {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

/** As a shell says it of a process that SIGPIPE has ended, which Node ignores. */
const UNREAD = 141;
const FAILED = 1;

/** Ends the process when what it writes can't be written any more. @returns a function after which it goes on all the same */
function endWhenUnread(streams) {
  const end = ({ code, message }) => {
    if (code === 'EPIPE') process.exit(UNREAD);
    process.stderr.write(`holdfast: what it prints can't be written: ${message}\n`);
    process.exit(FAILED);
  };
  let take = end;
  for (const stream of streams) stream.on('error', (error) => take(error));
  return () => {
    take = () => undefined;
  };
}
