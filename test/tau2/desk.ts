import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { CallerTokens } from '../../src/dev/issuer.ts';
import { toTemplateText } from '../../src/graph/values/json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { act } from '../chaos/actions.ts';
import type { RequestedAction } from '../chaos/actions.ts';
import type { Random } from '../support/builders/random.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { checkpointWhere } from '../support/readers/api-states.ts';
import { readAll } from '../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { PHASES } from './cases.ts';
import type { Case, Cases } from './cases.ts';
import type { Action } from './data.ts';
import { messageOf } from './scripted-model.ts';
import type { Decision, Script } from './script.ts';
import type { Entry } from './shop/branch.ts';
import { isWrite } from './tools.ts';

/** The people who start runs, decide about writes and settle calls with an unknown outcome. */
export interface Desk {
  readonly as: (caller: keyof CallerTokens) => ApiClient;
  readonly cases: Cases;
  readonly random: Random;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);
const PATIENCE_MS = 600_000;
const PAUSE_MS = 150;

/** Plays a case to its end. @returns the statuses in which each of its runs has ended @throws if one does not end */
export async function playCase(desk: Desk, one: Case, script: Script): Promise<readonly (readonly string[])[]> {
  const message = { role: 'user', content: messageOf(one) };
  const runId = await startRun(desk, one, '/api/runs', { graph: script.graph, input: { messages: message } });
  const first = await attend(desk, one, { script, runId, decided: [] }, null);
  if (script.afterwards === 'nothing') return [[first.status]];
  if (script.afterwards === 'retry') {
    await act(desk.as('user'), { kind: 'retry', target: 'run', by: 'user', runId, body: {} }, desk.random);
    const second = await attend(desk, one, first.visit, first.status);
    return [[first.status, second.status]];
  }
  const checkpoint = await checkpointWhere(desk.as('user'), runId, (found) => at(found, '/step') === -1);
  const fork = await startRun(desk, one, `/api/runs/${runId}/fork`, { checkpoint });
  const { status } = await attend(desk, one, { script, runId: fork, decided: [] }, null);
  return [[first.status], [status]];
}

async function startRun({ as, cases }: Desk, one: Case, path: string, body: Json): Promise<string> {
  const answer = await as('user').post(path, body, { 'idempotency-key': `${one.id} ${one.runIds.length}` });
  if (answer.status !== 201) throw new Error(`The run was not accepted: ${JSON.stringify(answer.body)}`);
  const runId = textAt(answer.body, '/id');
  cases.assign(runId, one);
  return runId;
}

/** A run that is attended to, and the final arguments of the writes that were decided in it, in order. */
interface Visit {
  readonly script: Script;
  readonly runId: string;
  readonly decided: readonly DecidedWrite[];
}

interface DecidedWrite extends Action {
  readonly decision: Decision['kind'];
}

/** Attends to a run until it ends, other than it did `before`. */
async function attend(
  desk: Desk,
  one: Case,
  visit: Visit,
  before: string | null,
): Promise<{ readonly status: string; readonly visit: Visit }> {
  const { runId } = visit;
  let current = visit;
  let last: Json = null;
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(PAUSE_MS)) {
    const { body: run } = await desk.as('user').get(`/api/runs/${runId}`, { prefer: 'wait=5' });
    last = run;
    const status = textAt(run, '/status');
    if (ENDED.has(status) && status !== before) return { status, visit: current };
    const waiting = listAt(run, '/waitingFor');
    for (const item of waiting) if (at(item, '/kind') === 'intervention') await settle(desk, one, runId, item);
    if (waiting.some((item) => at(item, '/kind') === 'approval')) current = await decideNext(desk, one, current);
  }
  const { log } = one.branch;
  const seen = {
    status: at(last, '/status'),
    waitingFor: at(last, '/waitingFor'),
    open: [...one.open],
    log: log.slice(-2),
  };
  throw new Error(`Run ${runId} has not come to an end: ${JSON.stringify({ ...seen, decided: current.decided })}`);
}

/** Settles a call with an unknown outcome by what the shop has in its log. */
async function settle(desk: Desk, one: Case, runId: string, waiting: Json): Promise<void> {
  const key = textAt(waiting, '/idempotencyKey');
  if (one.open.has(key)) return;
  const id = textAt(waiting, '/id');
  const entry = one.branch.log.find((entry) => entry.key === key);
  const about = { runId, by: 'user', target: `${id} since ${textAt(waiting, '/since')}` } as const;
  const wanted: RequestedAction = entry
    ? { ...about, kind: 'skip', body: { id, output: outputOf(entry) } }
    : { ...about, kind: 'retry', body: { id } };
  await act(desk.as('user'), wanted, desk.random);
}

/** Returns what the shop has answered, as the model would have been told of it. */
function outputOf({ answer: { isAccepted, body } }: Entry): Json {
  const output: Json = JSON.parse(JSON.stringify(body));
  return isAccepted ? output : `Execution failed: ${toTemplateText(output)}`;
}

/** Decides about the next write of the task, once the shop has executed or refused the one before. */
async function decideNext(desk: Desk, one: Case, visit: Visit): Promise<Visit> {
  const { runId, script, decided } = visit;
  const index = one.task.actions.flatMap(({ name }, at) => (isWrite(name) ? [at] : []))[decided.length];
  const action = index === undefined ? undefined : one.task.actions[index];
  if (index === undefined || !action || !isSettled(one, runId, decided.at(-1))) return visit;
  const pending = await readAll(desk.as('approver'), `/api/approvals?runId=${runId}&status=pending`);
  const approval = pending.find(
    (found) => at(found, '/tool') === action.name && isDeepStrictEqual(at(found, '/args'), action.args),
  );
  const decision = script.decide(index, one);
  if (approval === undefined || decision.kind === 'wait') return visit;
  // Who has changed a run may not decide what is asked later in it (`excludeRequester`).
  const by = decided.some((write) => write.decision === 'change') ? 'approver2' : 'approver';
  await decide(desk, one, { runId, by, approvalId: textAt(approval, '/id') }, decision);
  const args = decision.kind === 'change' ? decision.args : action.args;
  return { ...visit, decided: [...decided, { name: action.name, args, decision: decision.kind }] };
}

/** True if the shop has executed or refused a decided write, or need not do so. */
function isSettled({ branch }: Case, runId: string, write: DecidedWrite | undefined): boolean {
  if (!write || write.decision === 'reject') return true;
  return branch.log.some(
    ({ key, name, args }) => key.startsWith(`${runId}:`) && name === write.name && isDeepStrictEqual(args, write.args),
  );
}

interface Asked extends Pick<RequestedAction, 'runId' | 'by'> {
  readonly approvalId: string;
}

async function decide(desk: Desk, one: Case, { runId, by, approvalId }: Asked, decision: Decision): Promise<void> {
  const number = one.exchanges++;
  const wanted: RequestedAction = {
    kind: decision.kind === 'reject' ? 'reject' : 'approve',
    target: approvalId,
    by,
    runId,
    body: { approvalId, reason: 'as agreed', ...(decision.kind === 'change' && { args: decision.args }) },
  };
  for (const phase of PHASES) {
    await one.meet({ kind: 'decision', name: '', key: '', number, phase });
    if (phase !== 'requested') continue;
    const { isAccepted, answer } = await act(desk.as(by), wanted, desk.random);
    if (!isAccepted) throw new Error(`The decision about ${approvalId} was refused: ${answer}`);
  }
}
