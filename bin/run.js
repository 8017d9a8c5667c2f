import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCE = new URL('../src/cli/main.ts', import.meta.url);

/** Runs a command line in this process: of a clone its source, by tsx, and of a package what was built. */
export async function run(args, isBuilt = !existsSync(SOURCE)) {
  const { env, stdout, stderr } = process;
  const continueWhenUnread = endWhenUnread([stdout, stderr]);
  if (!isBuilt) {
    const [{ register }, { register: registerRequire }] = await Promise.all([
      import('tsx/esm/api'),
      import('tsx/cjs/api'),
    ]);
    // Temporal's SDK loads our code by `require`.
    registerRequire();
    register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
  }
  const { main } = await import(isBuilt ? '../dist/cli/main.js' : SOURCE.href);
  process.exitCode = await main(args, { env, stdout, stderr, interrupted, continueWhenUnread });
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
