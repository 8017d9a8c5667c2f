import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/*
 * `npm run check:api`: fails when docs/openapi.json breaks programs that are written for the newest release. Until there is
 * one, it is compared with that of a commit. A break that is wanted has its line in accepted-breaks.txt, which is empty
 * again with each release.
 */

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const OASDIFF = 'github.com/oasdiff/oasdiff@v1.37.0';
const FIRST_BASE = '34b672c0';
const DESCRIPTION = 'docs/openapi.json';
const TERMS = ['--format', 'singleline', '--fail-on', 'ERR', '--err-ignore', 'reference/accepted-breaks.txt'];

process.exitCode = checkAgainst(newestRelease() ?? FIRST_BASE);

function newestRelease(): string | null {
  const { error, stdout } = spawnSync('git', ['tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  if (error) return null;
  return stdout.split('\n').find((tag) => tag !== '') ?? null;
}

/** @returns the exit code: 0, if nothing breaks that is not accepted */
function checkAgainst(base: string): number {
  process.stdout.write(`${DESCRIPTION} beside that of ${base}\n`);
  const { error, status } = spawnSync(
    'go',
    ['run', OASDIFF, 'breaking', `${base}:${DESCRIPTION}`, DESCRIPTION, ...TERMS],
    { cwd: PROJECT, stdio: 'inherit' },
  );
  if (!error) return status ?? 1;
  process.stderr.write(`oasdiff can't be run: ${error.message}. It needs Go and a module proxy.\n`);
  return 1;
}
