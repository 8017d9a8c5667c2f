import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { messageOf } from '../graph/values/index.ts';

const run = promisify(execFile);

/** The last release that the Go module proxy can build; later ones carry a replacement. */
const CLI_VERSION = 'v1.5.1';
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
/** The oldest server that knows what we ask of it. A CLI that was built from source names its server's version, not its own. */
const OLDEST_SERVER = [1, 28, 0] as const;

/** One way to a Temporal executable; it gives its path, or says why it has none. */
type Way = () => Promise<{ readonly path: string } | { readonly reason: string }>;

/**
 * Finds a Temporal executable, or provides one: a given path, the PATH, what was provided before, a download, or a build
 * where Go is installed (some minutes, once).
 * @param say is told when something takes long
 * @throws Error that names all that was tried, and what to do
 */
export async function provideTemporal(environment: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const cache = join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast', `temporal-${CLI_VERSION}`);
  const ways: readonly (readonly [string, Way])[] = [
    ['TEMPORAL_CLI_PATH', async () => await given(environment['TEMPORAL_CLI_PATH'])],
    ['PATH', async () => await onPath(environment['PATH'] ?? '')],
    [cache, async () => await usable(join(cache, 'temporal'))],
    [`${cache} (downloaded)`, async () => await downloadedTo(join(cache, 'download'))],
    ['download', async () => await download(join(cache, 'download'), say)],
    ['build with Go', async () => await build(cache, say)],
  ];
  const tried: string[] = [];
  for (const [name, way] of ways) {
    const found = await way().catch((error: unknown) => ({ reason: firstLine(error) }));
    if ('path' in found) return found.path;
    tried.push(`  ${name}: ${found.reason}`);
  }
  throw new Error(
    `No Temporal server can be started. Tried:\n${tried.join('\n')}\n` +
      'Set TEMPORAL_ADDRESS to a server that runs, or TEMPORAL_CLI_PATH to the `temporal` executable (https://docs.temporal.io/cli), or install Go.',
  );
}

async function given(path: string | undefined): ReturnType<Way> {
  return path === undefined ? { reason: 'not set' } : await usable(path);
}

async function onPath(path: string): ReturnType<Way> {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, 'temporal'))
    .find((file) => existsSync(file));
  return found === undefined ? { reason: 'no `temporal` there' } : await usable(found);
}

async function usable(path: string): ReturnType<Way> {
  if (!existsSync(path)) return { reason: 'not there' };
  const { stdout } = await run(path, ['--version']);
  const version = /Server (\d+)\.(\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number);
  if (!version || isOlder(version))
    return { reason: `${path} is ${stdout.trim().slice(0, 60)}; Server ${OLDEST_SERVER.join('.')} or later is needed` };
  return { path };
}

function isOlder(version: readonly number[]): boolean {
  const at = OLDEST_SERVER.findIndex((part, index) => part !== version[index]);
  return at >= 0 && (version[at] ?? 0) < (OLDEST_SERVER[at] ?? 0);
}

async function downloadedTo(folder: string): ReturnType<Way> {
  const [file] = existsSync(folder) ? await readdir(folder) : [];
  return file === undefined ? { reason: 'not there' } : await usable(join(folder, file));
}

/** The SDK's test environment downloads the executable for a server of its own. */
async function download(folder: string, say: (line: string) => void): ReturnType<Way> {
  say('Looking for a Temporal server to download …');
  await mkdir(folder, { recursive: true });
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: folder } },
  });
  await environment.teardown();
  return await downloadedTo(folder);
}

async function build(folder: string, say: (line: string) => void): ReturnType<Way> {
  const { stdout } = await run('go', ['version']);
  say(`Building a Temporal server with ${stdout.trim()}; this takes some minutes, once …`);
  await mkdir(folder, { recursive: true });
  await run('go', ['install', GO_PACKAGE], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: '' },
    maxBuffer: 64 * 1_048_576,
  });
  return await usable(join(folder, 'temporal'));
}

function firstLine(error: unknown): string {
  const message = messageOf(error);
  return (message.split('\n')[0] ?? '').slice(0, 200);
}
