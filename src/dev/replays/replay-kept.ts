import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { payloadConverterPath } from '../../process/data-converter.ts';
import { createLogger } from '../../process/logger.ts';
import { openWorkflowCode } from '../../workers/workflow-code.ts';
import { installTemporalRuntime } from '../service.ts';
import type { KeptHistory } from './keep-histories.ts';
import type { HistoryDifference, ReplayedHistories } from './replay-histories.ts';

/* A process that replays the histories of a folder one after the other on one worker, and reports the result. */

const { History } = proto.temporal.api.history.v1;
const execFileAsync = promisify(execFile);

/** Most replays take milliseconds; one with hundreds of large activations takes seconds. */
const REPLAY_WITHIN_MS = 180_000;

type DecodedHistory = ReturnType<typeof History.decode>;

async function replayFolder(folder: string): Promise<ReplayedHistories> {
  const logger = createLogger('fatal');
  await installTemporalRuntime(logger);
  const workflowBundle = await openWorkflowCode(process.env, logger);
  const code = 'codePath' in workflowBundle ? await readFile(workflowBundle.codePath, 'utf8') : workflowBundle.code;
  const bundle = createHash('sha256').update(code).digest('hex').slice(0, 12);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  const differences: HistoryDifference[] = [];
  // Replays are sequential, so a result belongs to the history that was read last.
  let last: ReplayedHistory | null = null;
  async function* histories() {
    for (const file of files) {
      const facts: KeptHistory = JSON.parse(await readFile(file, 'utf8'));
      const history = History.decode(await readFile(file.replace(/\.json$/, '.history')));
      last = { facts, history };
      await rm(file);
      await rm(file.replace(/\.json$/, '.history'));
      yield { workflowId: facts.workflowId, history };
    }
  }
  let replayed = 0;
  const outcomes = Worker.runReplayHistories({ workflowBundle, dataConverter: { payloadConverterPath } }, histories());
  for (;;) {
    const next = await withinTimeLimit(outcomes.next());
    if (next !== null && next.done) break;
    const error =
      next === null ? `its replay has not ended after ${REPLAY_WITHIN_MS / 1_000} s` : next.value.error?.message;
    if (error !== undefined && last) differences.push(await keepDifference(last, error, bundle));
    if (next === null) break;
    replayed += 1;
  }
  return { replayed, bundle, differences };
}

async function withinTimeLimit<T>(outcome: Promise<T>): Promise<T | null> {
  const late = new Promise<null>((resolve) => void setTimeout(resolve, REPLAY_WITHIN_MS, null).unref());
  return await Promise.race([outcome, late]);
}

interface ReplayedHistory {
  readonly facts: KeptHistory;
  readonly history: DecodedHistory;
}

/** Stores a history whose replay differs, in the format of `Worker.runReplayHistory`, with the workers that made it. */
async function keepDifference(
  { facts, history }: ReplayedHistory,
  error: string,
  bundle: string,
): Promise<HistoryDifference> {
  const folder = join(tmpdir(), 'holdfast-differences');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${facts.workflowId.replaceAll(/[^\w.-]/g, '-')}-${facts.executionRunId}.json`);
  await writeFile(path, historyToJSON(history));
  const workers = history.events.flatMap(({ eventId, workflowTaskStartedEventAttributes: started }) =>
    started ? [{ eventId: Number(eventId), identity: started.identity }] : [],
  );
  const commit = await readGit('rev-parse', 'HEAD');
  const changed = await readGit('status', '--porcelain');
  const about = { ...facts, error, bundle, commit, isClean: changed === '', changed, workers };
  await writeFile(path.replace(/\.json$/, '.facts.json'), JSON.stringify(about, null, 2));
  return { ...facts, error, path };
}

async function readGit(...args: readonly string[]): Promise<string | null> {
  return await execFileAsync('git', [...args]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

const [, , folder = ''] = process.argv;
process.stdout.write(JSON.stringify(await replayFolder(folder)));
process.exit();
