import type { Draft } from './draft.ts';
import type { CallRequest, ModelCallRequest } from './effect.ts';
import { GraphError } from './errors.ts';
import { estimateRequest } from './estimate-request.ts';
import { openTasks } from './frames.ts';
import { own } from './json.ts';
import { batchOf } from './nodes/position.ts';
import type { Reserved } from './run.ts';
import type { TaskFailure } from './scope.ts';

/*
 * Budgets of a run. A call sets aside what it may use before it is made, and its output is held to that, so that calls
 * that are out at the same time can't use more together than there is. What a call has used then takes its place.
 */

interface Reservation<R extends CallRequest> {
  readonly request: R;
  readonly reserved: Reserved | null;
}

/**
 * Sets aside what a call may use.
 * @returns the call, with its output held to what is left
 * @throws GraphError `BUDGET_EXCEEDED`, which names the budget
 */
export function reserve(draft: Draft, request: CallRequest): Reservation<CallRequest> {
  if (request.kind === 'tool') {
    const failure = refuseToolCalls(draft, 1);
    if (failure) throw new GraphError(failure.error.code, failure.error.message);
  }
  return request.kind === 'model' ? reserveModelCall(draft, request) : { request, reserved: null };
}

/**
 * Whether a model may be asked now. Calls that are out have set aside more than they will use: while not even as much is
 * left as one of them has, others wait until it is given back. One that is asked alone need not wait for anything.
 */
export function hasRoom({ run, graph }: Draft): boolean {
  if (graph.version < 2) return true;
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = run.limits;
  const out = Object.values(run.calls).flatMap(({ reserved }) => (reserved ? [reserved] : []));
  const { inputTokens, outputTokens, costMicros } = run.spent;
  const tokens = maxTokens - inputTokens - outputTokens - reservedOf(run.calls, 'tokens');
  const micros = maxCostUsd * 1_000_000 - costMicros - reservedOf(run.calls, 'costMicros');
  return out.every((one) => one.tokens <= tokens && one.costMicros <= micros);
}

/** Why a run may not begin so many calls of tools that belong together: others may have been promised some already. */
export function refuseBatch(draft: Draft, count: number): TaskFailure | null {
  const promised = openTasks(draft).flatMap(({ task: { state } }) =>
    state.phase === 'open' ? batchOf(state.position) : [],
  );
  const waiting = promised.filter(({ state }) => state.phase === 'ready' || state.phase === 'asked');
  return refuseToolCalls(draft, count, waiting.length);
}

/** Why a run may not call tools so many times more; calls that are out count as made. */
function refuseToolCalls({ run }: Draft, count: number, promised = 0): TaskFailure | null {
  const { maxToolCalls } = run.limits;
  if (maxToolCalls === undefined) return null;
  const out = Object.values(run.calls).filter(({ called }) => called.kind === 'tool').length;
  const used = run.spent.toolCalls + out + promised;
  if (used + count <= maxToolCalls) return null;
  const message = `${exceeded('maxToolCalls', maxToolCalls, { used, reserved: 0 })}; ${count} more would be made`;
  return { callFailed: false, error: { code: 'BUDGET_EXCEEDED', message } };
}

/** So much a call may write that says nothing itself, where a budget is set. */
const DEFAULT_OUTPUT = 4_096;

function reserveModelCall(draft: Draft, request: ModelCallRequest): Reservation<ModelCallRequest> {
  const { maxTokens, maxCostUsd } = draft.run.limits;
  if (maxTokens === undefined && maxCostUsd === undefined) return { request, reserved: null };
  const input = inputOf(draft, request);
  const wanted = request.maxOutputTokens ?? DEFAULT_OUTPUT;
  const output = Math.min(wanted, byTokens(draft, input), byCost(draft, request.model, input));
  const { price } = own(draft.graph.catalog.models, request.model) ?? {};
  const costMicros = price ? Math.ceil(input * price.input + output * price.output) : 0;
  return { request: { ...request, maxOutputTokens: output }, reserved: { tokens: input + output, costMicros } };
}

/** What a call reads: no more than its context, or its model's, lets through. */
function inputOf({ graph: { catalog } }: Draft, request: ModelCallRequest): number {
  const { contextWindow = Number.POSITIVE_INFINITY } = own(catalog.models, request.model) ?? {};
  return Math.min(estimateRequest(request, catalog.tools), request.context?.maxTokens ?? contextWindow, contextWindow);
}

/** How many tokens a call may write that reads so many. */
function byTokens({ run }: Draft, input: number): number {
  const { maxTokens } = run.limits;
  if (maxTokens === undefined) return Number.POSITIVE_INFINITY;
  const used = run.spent.inputTokens + run.spent.outputTokens;
  const reserved = reservedOf(run.calls, 'tokens');
  const left = maxTokens - used - reserved - input;
  if (left >= 1) return left;
  const what = exceeded('maxTokens', maxTokens, { used, reserved });
  throw new GraphError('BUDGET_EXCEEDED', `${what}; about ${input} more are needed`);
}

/** A cost that nobody knows can't be kept within a limit: then nothing is called. */
function byCost({ run, graph }: Draft, model: string, input: number): number {
  const { maxCostUsd } = run.limits;
  if (maxCostUsd === undefined) return Number.POSITIVE_INFINITY;
  const { price } = own(graph.catalog.models, model) ?? {};
  if (!price) throw new GraphError('BUDGET_EXCEEDED', `maxCostUsd is set, and the model "${model}" has no price`);
  const used = run.spent.costMicros;
  const reserved = reservedOf(run.calls, 'costMicros');
  const left = Math.floor(maxCostUsd * 1_000_000 + ROUNDING) - used - reserved - input * price.input;
  const output = price.output === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / price.output);
  if (left >= 0 && output >= 1) return output;
  throw new GraphError(
    'BUDGET_EXCEEDED',
    exceeded('maxCostUsd', maxCostUsd, { used: toUsd(used), reserved: toUsd(reserved) }),
  );
}

/** What a call has cost is rounded to whole millionths; so is the limit, but for what floats make of it. */
const ROUNDING = 1e-6;

function reservedOf(calls: Draft['run']['calls'], what: keyof Reserved): number {
  return Object.values(calls).reduce((sum, { reserved }) => sum + (reserved?.[what] ?? 0), 0);
}

const toUsd = (micros: number): number => micros / 1_000_000;

function exceeded(name: string, limit: number, { used, reserved }: { used: number; reserved: number }): string {
  if (reserved === 0) return `The budget ${name} of ${limit} is used up: ${used}`;
  return (
    `The budget ${name} of ${limit} has no room: ${used} are used, and ${reserved} set aside for calls that are out. ` +
    'Nodes with a maxOutputTokens have less set aside'
  );
}
