import type { ModelEntry } from '../definition/catalog.ts';
import type { CallRequest, ModelCallRequest } from '../run/effect.ts';
import { batchOf } from '../run/position.ts';
import type { ModelNeeds, Reservation } from '../run/spending.ts';
import { GraphError } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import { own } from '../values/json.ts';
import type { Draft } from './draft.ts';
import { estimateRequest } from './estimate-tokens.ts';
import { isSameTask, openTasks } from './frames.ts';
import type { TaskHandle } from './frames.ts';

/*
 * Budgets of a run. A call sets aside what it may use before it is made, and its output is held to that, so that calls
 * that are out at the same time can't use more together than there is. What a call has used then takes its place.
 */

interface BudgetedCall<R extends CallRequest> {
  readonly request: R;
  readonly reservation: Reservation | null;
}

/**
 * Sets aside what a call may use.
 * @returns the call, with its output held to what is left
 * @throws GraphError `BUDGET_EXCEEDED`, which names the budget
 */
export function reserve(handle: TaskHandle, request: CallRequest): BudgetedCall<CallRequest> {
  const { draft } = handle;
  if (request.kind === 'tool') {
    const failure = refuseToolCalls(draft, 1, plannedToolCallsBeside(handle));
    if (failure) throw new GraphError(failure.error.code, failure.error.message);
  }
  return request.kind === 'model' ? reserveModelCall(draft, request) : { request, reservation: null };
}

/** What calls that are out have set aside: together, and the most that one of them has; `null`: nothing. */
export type ReservedTotals = (Reservation & { readonly most: Reservation }) | null;

/** Looks at the calls that are out; whoever asks often keeps it for as long as no call begins or ends. */
export function reservedTotals({ run }: Draft): ReservedTotals {
  const { maxTokens, maxCostUsd } = run.limits;
  if (maxTokens === undefined && maxCostUsd === undefined) return null;
  const sum = { tokens: 0, costMicros: 0 };
  const most = { tokens: 0, costMicros: 0 };
  let isAny = false;
  for (const key in run.calls) {
    const reservation = run.calls[key]?.reservation;
    if (!reservation) continue;
    isAny = true;
    sum.tokens += reservation.tokens;
    sum.costMicros += reservation.costMicros;
    most.tokens = Math.max(most.tokens, reservation.tokens);
    most.costMicros = Math.max(most.costMicros, reservation.costMicros);
  }
  return isAny ? { ...sum, most } : null;
}

/**
 * Whether a model may be asked now. Calls that are out have set aside more than they will use: while not even as much is
 * left as one of them has, others wait until it is given back. One that is asked alone need not wait for anything.
 */
export function isBudgetAvailable({ run }: Draft, totals: ReservedTotals): boolean {
  if (!totals) return true;
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = run.limits;
  const { inputTokens, outputTokens, costMicros } = run.spent;
  const tokens = maxTokens - inputTokens - outputTokens - totals.tokens;
  const micros = maxCostUsd * 1_000_000 - costMicros - totals.costMicros;
  return totals.most.tokens <= tokens && totals.most.costMicros <= micros;
}

/** What a call has to wait for room for. @returns `null`: it need not wait */
export function missingBudget(draft: Draft, request: ModelCallRequest): ModelNeeds | null {
  const totals = reservedTotals(draft);
  if (!totals) return null;
  const needs = needsOf(draft, request);
  return mustWaitForBudget(draft, needs, totals) ? needs : null;
}

/**
 * Whether a call waits until calls that are out give back what they do not use. One that gets all it wants does not, nor
 * one that can't be made whatever they give back: that is refused. So something is out while anything waits.
 */
export function mustWaitForBudget(draft: Draft, needs: ModelNeeds, totals: ReservedTotals): boolean {
  const left = availableOutput(draft, needs, totals ?? NOTHING);
  if (left >= needs.output || availableOutput(draft, needs, NOTHING) < 1) return false;
  return left < 1 || !isBudgetAvailable(draft, totals);
}

const NOTHING: Reservation = { tokens: 0, costMicros: 0 };

/** Whether a model may be asked at all in a run: where cost has a limit, it needs a price. */
export function isModelAllowed(draft: Draft, model: string): boolean {
  return draft.run.limits.maxCostUsd === undefined || priceOf(draft, { model }) !== undefined;
}

/** Why a run may not begin so many calls of tools that belong together: others may have been promised some already. */
export function refuseToolBatch(draft: Draft, count: number): TaskFailure | null {
  return refuseToolCalls(draft, count, plannedToolCalls(openTasks(draft)));
}

/** How many calls of tools other tasks have been promised. */
function plannedToolCallsBeside(handle: TaskHandle): number {
  const { draft } = handle;
  if (draft.run.limits.maxToolCalls === undefined) return 0;
  return plannedToolCalls(openTasks(draft).filter((other) => !isSameTask(handle, other)));
}

function plannedToolCalls(tasks: readonly TaskHandle[]): number {
  const batches = tasks.flatMap(({ frame, task: { state } }) =>
    state.phase === 'open' && !frame.isFailing ? batchOf(state.position) : [],
  );
  return batches.filter(({ state }) => state.phase === 'ready' || state.phase === 'asked').length;
}

/** Why a run may not call tools so many times more; calls that are out count as made. */
function refuseToolCalls({ run }: Draft, count: number, promised: number): TaskFailure | null {
  const { maxToolCalls } = run.limits;
  if (maxToolCalls === undefined) return null;
  const out = Object.values(run.calls).filter(({ called }) => called.kind === 'tool').length;
  const used = run.spent.toolCalls + out;
  if (used + promised + count <= maxToolCalls) return null;
  const said = promised > 0 ? ` made, and ${promised} promised to turns of models` : '';
  const message = `${exceeded('maxToolCalls', maxToolCalls, { used, reserved: 0 })}${said}; ${count} more would be made`;
  return { callFailed: false, error: { code: 'BUDGET_EXCEEDED', message } };
}

/** So much a call may write that says nothing itself, where a budget is set. */
const DEFAULT_OUTPUT = 4_096;

function reserveModelCall(draft: Draft, request: ModelCallRequest): BudgetedCall<ModelCallRequest> {
  const { maxTokens, maxCostUsd } = draft.run.limits;
  if (maxTokens === undefined && maxCostUsd === undefined) return { request, reservation: null };
  const needs = needsOf(draft, request);
  const totals = reservedTotals(draft) ?? NOTHING;
  refuseBeyondTokens(draft, needs, totals);
  refuseBeyondCost(draft, needs, totals);
  const { input } = needs;
  const output = Math.min(needs.output, availableOutput(draft, needs, totals));
  const price = priceOf(draft, needs);
  const costMicros = price ? Math.ceil(input * price.input + output * price.output) : 0;
  return { request: { ...request, maxOutputTokens: output }, reservation: { tokens: input + output, costMicros } };
}

function needsOf(draft: Draft, request: ModelCallRequest): ModelNeeds {
  const { model, maxOutputTokens } = request;
  return { model, input: inputOf(draft, request), output: maxOutputTokens ?? DEFAULT_OUTPUT };
}

/** What a call reads: no more than its context, or its model's, lets through. */
function inputOf({ graph: { catalog } }: Draft, request: ModelCallRequest): number {
  const { contextWindow = Number.POSITIVE_INFINITY } = own(catalog.models, request.model) ?? {};
  return Math.min(estimateRequest(request, catalog.tools), request.context?.maxTokens ?? contextWindow, contextWindow);
}

function refuseBeyondTokens(draft: Draft, needs: ModelNeeds, { tokens }: Reservation): void {
  const { maxTokens } = draft.run.limits;
  if (maxTokens === undefined || availableByTokens(draft, needs, tokens) >= 1) return;
  const { inputTokens, outputTokens } = draft.run.spent;
  const reserved = availableByTokens(draft, needs, 0) >= 1 ? tokens : 0;
  const what = exceeded('maxTokens', maxTokens, { used: inputTokens + outputTokens, reserved });
  throw new GraphError('BUDGET_EXCEEDED', `${what}; about ${needs.input} more are needed`);
}

/** A cost that nobody knows can't be kept within a limit: then nothing is called. */
function refuseBeyondCost(draft: Draft, needs: ModelNeeds, { costMicros }: Reservation): void {
  const { maxCostUsd } = draft.run.limits;
  if (maxCostUsd === undefined || availableByCost(draft, needs, costMicros) >= 1) return;
  if (!priceOf(draft, needs))
    throw new GraphError('BUDGET_EXCEEDED', `maxCostUsd is set, and the model "${needs.model}" has no price`);
  const reserved = availableByCost(draft, needs, 0) >= 1 ? costMicros : 0;
  const amounts = { used: toUsd(draft.run.spent.costMicros), reserved: toUsd(reserved) };
  throw new GraphError('BUDGET_EXCEEDED', exceeded('maxCostUsd', maxCostUsd, amounts));
}

/** How many tokens a call may write where so much is set aside; below 1 it can't be made. */
function availableOutput(draft: Draft, needs: ModelNeeds, reservation: Reservation): number {
  return Math.min(
    availableByTokens(draft, needs, reservation.tokens),
    availableByCost(draft, needs, reservation.costMicros),
  );
}

function availableByTokens({ run }: Draft, { input }: ModelNeeds, reserved: number): number {
  const { maxTokens = Number.POSITIVE_INFINITY } = run.limits;
  return maxTokens - run.spent.inputTokens - run.spent.outputTokens - reserved - input;
}

function availableByCost(draft: Draft, needs: ModelNeeds, reserved: number): number {
  const { run } = draft;
  const { maxCostUsd } = run.limits;
  if (maxCostUsd === undefined) return Number.POSITIVE_INFINITY;
  const price = priceOf(draft, needs);
  if (!price) return 0;
  const limit = Math.floor(maxCostUsd * 1_000_000 + ROUNDING);
  const left = limit - run.spent.costMicros - reserved - needs.input * price.input;
  if (left < 0) return 0;
  return price.output === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / price.output);
}

/** What a call has cost is rounded to whole millionths; so is the limit, but for what floats make of it. */
const ROUNDING = 1e-6;

function priceOf({ graph }: Draft, { model }: Pick<ModelNeeds, 'model'>): ModelEntry['price'] {
  return own(graph.catalog.models, model)?.price;
}

const toUsd = (micros: number): number => micros / 1_000_000;

function exceeded(name: string, limit: number, { used, reserved }: { used: number; reserved: number }): string {
  if (reserved === 0) return `The budget ${name} of ${limit} is used up: ${used}`;
  return (
    `The budget ${name} of ${limit} has no room: ${used} are used, and ${reserved} set aside for calls that are out. ` +
    'Nodes with a maxOutputTokens have less set aside'
  );
}
