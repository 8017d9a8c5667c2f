import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../src/dev/data-folder.ts';
import { CLI_VERSION } from '../../../src/dev/open-temporal.ts';

const run = promisify(execFile);

/** The version of the server within the CLI, so that Go reuses most of the dev server's build. */
const SERVER_VERSION = 'v1.29.1';
/** All other modules have the versions of the CLI, for the same reason. */
const GO_MODULE = `module cluster

go 1.25.0

require (
	github.com/temporalio/cli ${CLI_VERSION}
	go.temporal.io/server ${SERVER_VERSION}
)
`;
const COMMANDS = ['go.temporal.io/server/cmd/server', 'go.temporal.io/server/cmd/tools/sql'];

/** Temporal's server for clusters, and the tool that creates its tables. */
export interface TemporalBinaries {
  readonly server: string;
  readonly sqlTool: string;
}

/**
 * Finds the binaries in the cache, or builds them with Go.
 * @param say receives a line before a slow step
 * @throws when Go is not installed
 */
export async function provideTemporalBinaries(say: (line: string) => void): Promise<TemporalBinaries> {
  const folder = cacheFolder(process.env, `temporal-server-${SERVER_VERSION}`);
  if (!existsSync(folder)) await build(folder, say);
  // Go names a program after its package.
  return { server: join(folder, 'server'), sqlTool: join(folder, 'sql') };
}

async function build(folder: string, say: (line: string) => void): Promise<void> {
  const { stdout } = await run('go', ['version']).catch((error: unknown) => {
    throw new Error('The tests of a cluster build a Temporal server: install Go', { cause: error });
  });
  say(`Building Temporal ${SERVER_VERSION} with ${stdout.trim()}; this takes some minutes, once …`);
  await mkdir(join(folder, '..'), { recursive: true });
  const work = await mkdtemp(`${folder}-`);
  try {
    await writeFile(join(work, 'go.mod'), GO_MODULE);
    const programs = join(work, 'programs');
    await mkdir(programs);
    await run('go', ['build', '-o', programs, ...COMMANDS], {
      cwd: work,
      env: { ...process.env, GOFLAGS: '-mod=mod' },
      maxBuffer: 64 * 1_048_576,
    });
    await rename(programs, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
