import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Connection } from '@temporalio/client';
import { openLogFile } from '../process/logger.ts';
import { SEARCH_ATTRIBUTES } from '../workflows/contract.ts';
import { endWithProcess, killChild, stopChild, stopOrphan } from './child-process.ts';

/** A local Temporal dev server. */
export interface TemporalServer {
  readonly address: string;
  readonly uiUrl: string;
  /** Id of the server process. */
  readonly pid: number;
  stop(): Promise<void>;
  /** Kills the server, to simulate a power failure. */
  kill(): Promise<void>;
}

export interface TemporalServerOptions {
  readonly executable: string;
  readonly port: number;
  readonly uiPort: number;
  /** The server's database; without a file, state is lost when it stops. */
  readonly databaseFile?: string;
  readonly logFile?: string;
  /** The dynamic configuration, as `name=value`; by default one that suits runs. */
  readonly dynamicConfig?: readonly string[];
  /** Additional settings of the dynamic configuration. */
  readonly settings?: readonly string[];
  /** Namespaces besides `default`. */
  readonly namespaces?: readonly string[];
  /** Called when the server exits without being stopped, after it was once ready. */
  readonly onLost?: (error: Error) => void;
}

/**
 * By default the dev server takes 100 ms for each sequential step, because it polls its only shard 20 times a second,
 * and ignores the fairness keys of tenants.
 */
const DYNAMIC_CONFIG = [
  'matching.enableFairness=true',
  'history.transferProcessorMaxPollRPS=100',
  'history.timerProcessorMaxPollRPS=100',
  'system.enableActivityEagerExecution=true',
];

const START_WITHIN_MS = 60_000;
/** A server that accepts connections may not have opened its database yet; a busy machine takes seconds to connect. */
const SERVER_ANSWER_WITHIN_MS = 5_000;
/** The server refuses connections until it listens. */
const CONNECT_OFTEN = { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 200 };

/** Starts a dev server with the search attributes of runs, and waits until it answers. */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const { executable, port, uiPort, logFile, databaseFile, onLost } = options;
  const pidFile = databaseFile === undefined ? null : pidFileOf(databaseFile);
  const log = logFile === undefined ? null : createWriteStream(logFile, { fd: openLogFile(logFile) });
  const child = spawn(executable, toServerArguments(options), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  endWithProcess(child);
  const output = captureOutput(child);
  if (log) for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  if (pidFile !== null) await writeFile(pidFile, String(child.pid));
  const address = `127.0.0.1:${port}`;
  await waitUntilReady(address, child, output);
  const reportLoss = (code: number | null, signal: NodeJS.Signals | null): void =>
    onLost?.(new Error(`The Temporal server at ${address} has ended (${signal ?? `exit code ${code}`})`));
  child.once('exit', reportLoss);
  return {
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    pid: child.pid ?? 0,
    stop: async () => {
      child.off('exit', reportLoss);
      await stopChild(child, 10_000);
      log?.end();
    },
    kill: async () => {
      child.off('exit', reportLoss);
      await killChild(child);
    },
  };
}

/** Kills a server that outlived the process that started it with the same file. */
export async function stopOrphanOf(databaseFile: string): Promise<void> {
  await stopOrphan(pidFileOf(databaseFile), databaseFile);
}

function pidFileOf(databaseFile: string): string {
  return `${databaseFile}.pid`;
}

function toServerArguments(options: TemporalServerOptions): string[] {
  const { port, uiPort, databaseFile, dynamicConfig = DYNAMIC_CONFIG, settings = [], namespaces = [] } = options;
  const attributes = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `${name}=${ATTRIBUTE_TYPES[type]}`);
  const persistent =
    databaseFile === undefined
      ? []
      : ['--db-filename', databaseFile, '--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'];
  return [
    'server',
    'start-dev',
    '--port',
    String(port),
    '--ui-port',
    String(uiPort),
    '--log-level',
    'warn',
    ...persistent,
    ...[...dynamicConfig, ...settings].flatMap((value) => ['--dynamic-config-value', value]),
    ...attributes.flatMap((attribute) => ['--search-attribute', attribute]),
    ...namespaces.flatMap((namespace) => ['--namespace', namespace]),
  ];
}

const ATTRIBUTE_TYPES = { KEYWORD: 'Keyword', INT: 'Int' } as const;

/** Captures a child's output; the middle of a long one is dropped. */
function captureOutput(child: ChildProcess): () => string {
  let first = '';
  let last = '';
  const keep = (chunk: Buffer): void => {
    const text = chunk.toString();
    if (first.length < MAX_CAPTURED) first += text.slice(0, MAX_CAPTURED - first.length);
    else last = (last + text).slice(-MAX_CAPTURED);
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', keep);
  return () => `${first}\n${last}`.trim();
}

const MAX_CAPTURED = 1_500;

async function waitUntilReady(address: string, child: ChildProcess, output: () => string): Promise<void> {
  const until = Date.now() + START_WITHIN_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The Temporal server ended at once (${child.exitCode}): ${output()}`);
    if (await respondsAt(address)) return;
    if (Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`The Temporal server at ${address} does not answer: ${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** True if a server responds at an address in time. */
export async function respondsAt(address: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({
      address,
      connectTimeout: SERVER_ANSWER_WITHIN_MS,
      channelArgs: CONNECT_OFTEN,
    });
    try {
      const ask = () => connection.workflowService.describeNamespace({ namespace: 'default' });
      await connection.withDeadline(Date.now() + SERVER_ANSWER_WITHIN_MS, ask);
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}
