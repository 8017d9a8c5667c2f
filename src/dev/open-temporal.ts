import { join, resolve, delimiter } from 'node:path';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readTemporalTarget } from '../process/temporal.ts';
import type { TemporalTarget } from '../process/temporal.ts';
import { choosePort, retryIfPortTaken } from './ports.ts';
import type { Teardown } from './teardown.ts';
import { startTemporalServer, stopOrphanOf } from './temporal-server.ts';
import { messageOf } from '../graph/values/index.ts';
import { setVariables } from '../process/process-options.ts';
import { cacheFolder } from './data-folder.ts';

export interface StackTemporal extends TemporalTarget {
  /** The address of the Web UI; empty if unknown. */
  readonly uiUrl: string;
}

export interface TemporalOptions {
  readonly dataDir: string;
  readonly temporalPort?: number | undefined;
  readonly uiPort?: number | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Receives a line of text before each slow step. */
  readonly say: (line: string) => void;
}

/** Receives events of a part after it was opened. */
export interface LossObserver {
  /** Called when the part exits without being stopped. */
  readonly onLost: (error: Error) => void;
}

/** Connects to the Temporal server that the environment names, or starts one whose state is in the data folder. */
export async function openTemporal(
  { environment, dataDir, temporalPort, uiPort, say, onLost }: TemporalOptions & LossObserver,
  teardown: Teardown,
): Promise<StackTemporal> {
  const { TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_UI_URL = '' } = environment;
  if (TEMPORAL_ADDRESS || TEMPORAL_PROFILE) return { ...readTemporalTarget(environment), uiUrl: TEMPORAL_UI_URL };
  const executable = await provideTemporal(environment, say);
  const databaseFile = resolve(dataDir, 'temporal.db');
  await stopOrphanOf(databaseFile);
  const server = await retryIfPortTaken(
    async () =>
      await startTemporalServer({
        executable,
        port: await choosePort('Temporal', temporalPort, 7233),
        uiPort: await choosePort('the Temporal Web UI', uiPort, 8233),
        databaseFile,
        logFile: join(dataDir, 'temporal.log'),
        onLost,
      }),
  );
  teardown.add(() => server.stop());
  return { options: { address: server.address }, namespace: 'default', uiUrl: server.uiUrl };
}

const execFileAsync = promisify(execFile);

/** The last release that `go install` can build; later ones contain a replace directive. */
export const CLI_VERSION = 'v1.5.1';
const GO_PACKAGE = `github.com/temporalio/cli/cmd/temporal@${CLI_VERSION}`;
/** The oldest usable server. A CLI built from source reports only its server's version. */
const OLDEST_SERVER = [1, 28, 0] as const;

/** A source of a Temporal executable; it returns the path, or the reason why it has none. */
type ServerSource = () => Promise<{ readonly path: string } | { readonly reason: string }>;

/**
 * Finds a Temporal executable: a given path, the PATH, the cache, a download, or a build with Go (some minutes, once).
 * @param say receives a line of text before a slow step
 * @throws Error that lists all attempts and a remedy
 */
export async function provideTemporal(environment: NodeJS.ProcessEnv, say: (line: string) => void): Promise<string> {
  const cache = cacheOf(environment);
  const found = await findFirst([
    ...presentSources(environment),
    ['download', async () => await downloadServer(join(cache, 'download'), say)],
    ['build with Go', async () => await buildServer(cache, say)],
  ]);
  if ('path' in found) return found.path;
  throw new Error(
    `No Temporal server can be started. Tried:\n${found.tried.join('\n')}\n` +
      'Set TEMPORAL_ADDRESS to a server that runs, or TEMPORAL_CLI_PATH to the `temporal` executable (https://docs.temporal.io/cli), or install Go.',
  );
}

/** Finds a Temporal executable that this machine has. @returns its path; `null` if it has none */
export async function findTemporal(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const found = await findFirst(presentSources(environment));
  return 'path' in found ? found.path : null;
}

type NamedSource = readonly [name: string, find: ServerSource];

function presentSources(environment: NodeJS.ProcessEnv): readonly NamedSource[] {
  const cache = cacheOf(environment);
  return [
    ['TEMPORAL_CLI_PATH', async () => await fromVariable(setVariables(environment)['TEMPORAL_CLI_PATH'])],
    ['PATH', async () => await fromPath(environment['PATH'] ?? '')],
    [cache, async () => await checkExecutable(join(cache, 'temporal'))],
    [`${cache} (downloaded)`, async () => await findDownloadedServer(join(cache, 'download'))],
  ];
}

function cacheOf(environment: NodeJS.ProcessEnv): string {
  return cacheFolder(environment, `temporal-${CLI_VERSION}`);
}

/** @returns the path of the first source that has one, or the reason of each */
async function findFirst(
  sources: readonly NamedSource[],
): Promise<{ readonly path: string } | { readonly tried: readonly string[] }> {
  const tried: string[] = [];
  for (const [name, find] of sources) {
    const found = await find().catch((error: unknown) => ({ reason: firstLine(error) }));
    if ('path' in found) return found;
    tried.push(`  ${name}: ${found.reason}`);
  }
  return { tried };
}

async function fromVariable(path: string | undefined): ReturnType<ServerSource> {
  return path === undefined ? { reason: 'not set' } : await checkExecutable(path);
}

async function fromPath(path: string): ReturnType<ServerSource> {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, 'temporal'))
    .find((file) => existsSync(file));
  return found === undefined ? { reason: 'no `temporal` there' } : await checkExecutable(found);
}

async function checkExecutable(path: string): ReturnType<ServerSource> {
  if (!existsSync(path)) return { reason: 'not there' };
  const { stdout } = await execFileAsync(path, ['--version']);
  const version = /Server (\d+)\.(\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number);
  if (!version || isOlderVersion(version))
    return { reason: `${path} is ${stdout.trim().slice(0, 60)}; Server ${OLDEST_SERVER.join('.')} or later is needed` };
  return { path };
}

function isOlderVersion(version: readonly number[]): boolean {
  const at = OLDEST_SERVER.findIndex((part, index) => part !== version[index]);
  return at >= 0 && (version[at] ?? 0) < (OLDEST_SERVER[at] ?? 0);
}

async function findDownloadedServer(folder: string): ReturnType<ServerSource> {
  const [file] = existsSync(folder) ? await readdir(folder) : [];
  return file === undefined ? { reason: 'not there' } : await checkExecutable(join(folder, file));
}

/** The SDK's test environment downloads an executable for its own server. */
async function downloadServer(folder: string, say: (line: string) => void): ReturnType<ServerSource> {
  say('Looking for a Temporal server to download …');
  await mkdir(folder, { recursive: true });
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: folder } },
  });
  await environment.teardown();
  return await findDownloadedServer(folder);
}

async function buildServer(folder: string, say: (line: string) => void): ReturnType<ServerSource> {
  const { stdout } = await execFileAsync('go', ['version']);
  say(`Building a Temporal server with ${stdout.trim()}; this takes some minutes, once …`);
  await mkdir(folder, { recursive: true });
  await execFileAsync('go', ['install', GO_PACKAGE], {
    env: { ...process.env, GOBIN: folder, GOFLAGS: '' },
    maxBuffer: 64 * 1_048_576,
  });
  return await checkExecutable(join(folder, 'temporal'));
}

function firstLine(error: unknown): string {
  const message = messageOf(error);
  return (message.split('\n')[0] ?? '').slice(0, 200);
}
