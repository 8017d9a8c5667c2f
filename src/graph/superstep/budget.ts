import type { ModelEntry } from '../definition/catalog.ts';
import type { Draft } from '../draft/draft.ts';
import { isSameTask, keyOfCall, tasksOfRun } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import type { CallRequest, ModelCallRequest } from '../run/effect.ts';
import type { OpenCall } from '../run/run.ts';
import type { ModelNeeds, Reservation } from '../run/limits.ts';
import { batchAtPosition } from '../run/task-position.ts';
import { GraphError } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import { own } from '../values/json.ts';
import { estimateRequest } from './estimate-request.ts';

/*
 * Budgets of a run. Before a call begins, it reserves the most that it may use, and its output is limited to that. So
 * open calls together never exceed a budget. When a call returns, its real usage replaces its reservation.
 */

interface BudgetedCall<R extends CallRequest> {
  readonly request: R;
  readonly reservation: Reservation | null;
}

/**
 * Plans a call's reservation, which `Draft.requestCall` records.
 * @param key of the call; a call repeated under the same key is not charged again
 * @returns the request, with its output limited to what is available, and the reservation
 * @throws GraphError `BUDGET_EXCEEDED` with the budget's name
 */
export function planReservation(handle: TaskHandle, key: string, request: CallRequest): BudgetedCall<CallRequest> {
  if (request.kind === 'tool') requireToolCall(handle, key);
  return request.kind === 'model' ? planModelReservation(handle.draft, request) : { request, reservation: null };
}

/** Counts a tool call that a graph executes. @throws GraphError `BUDGET_EXCEEDED` */
export function countGraphCall(handle: TaskHandle, number: number): void {
  const key = keyOfCall(handle, number);
  requireToolCall(handle, key);
  handle.draft.chargeToolCall(key);
}

function requireToolCall(handle: TaskHandle, key: string): void {
  const { draft } = handle;
  const failure = draft.run.counted.includes(key)
    ? null
    : findToolCallFailure(draft, 1, plannedToolCallsBeside(handle));
  if (failure) throw new GraphError(failure.error.code, failure.error.message);
}

/** The sum of the open calls' reservations, and the largest of each kind; `null` without reservations. */
export type ReservedTotals = (Reservation & { readonly most: Reservation }) | null;

/** Sums the reservations of open calls. The totals change only when a call begins or ends, so loops reuse them. */
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
 * True if a model call may begin now. It waits while less is available than the largest open reservation, because open
 * calls mostly use less than they reserve and release the rest. Without open reservations it does not wait.
 */
export function isBudgetAvailable({ run }: Draft, totals: ReservedTotals): boolean {
  if (!totals) return true;
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = run.limits;
  const { inputTokens, outputTokens, costMicros } = run.spent;
  const tokens = maxTokens - inputTokens - outputTokens - totals.tokens;
  const micros = maxCostUsd * 1_000_000 - costMicros - totals.costMicros;
  return totals.most.tokens <= tokens && totals.most.costMicros <= micros;
}

/** Returns the budget needs of a call that must wait for open calls; `null` if it need not wait. */
export function missingBudget(draft: Draft, request: ModelCallRequest): ModelNeeds | null {
  const totals = reservedTotals(draft);
  if (!totals) return null;
  const needs = needsOfCall(draft, request);
  return mustWaitForBudget(draft, needs, totals) ? needs : null;
}

/**
 * True if a call must wait for open calls to release budget. A call begins at once if the budget allows its whole
 * output, and also if it is too large for anything that could be released. So at least one call is open while another
 * waits.
 */
export function mustWaitForBudget(draft: Draft, needs: ModelNeeds, totals: ReservedTotals): boolean {
  const left = availableOutput(draft, needs, totals ?? NO_RESERVATION);
  if (left >= needs.output || availableOutput(draft, needs, NO_RESERVATION) < 1) return false;
  return left < 1 || !isBudgetAvailable(draft, totals);
}

const NO_RESERVATION: Reservation = { tokens: 0, costMicros: 0 };

/** True if a run may call a model. A run with a limit on cost calls only models with a known price. */
export function isModelAllowed(draft: Draft, model: string): boolean {
  return draft.run.limits.maxCostUsd === undefined || priceOfModel(draft, { model }) !== undefined;
}

/**
 * Returns the failure of a task's batch of tool calls beyond the budget. Planned calls of other batches count as made.
 * @param numbers of the calls in their task
 */
export function findToolBatchFailure(handle: TaskHandle, numbers: readonly number[]): TaskFailure | null {
  const { draft } = handle;
  const count = uncountedCalls(handle, numbers).length;
  return count === 0 ? null : findToolCallFailure(draft, count, plannedToolCalls(tasksOfRun(draft)));
}

/** Drops the calls that are repeated under keys which have been charged already. */
function uncountedCalls(handle: TaskHandle, numbers: readonly number[]): readonly number[] {
  const { counted } = handle.draft.run;
  return counted.length === 0 ? numbers : numbers.filter((number) => !counted.includes(keyOfCall(handle, number)));
}

/** Counts the planned tool calls of other tasks. */
function plannedToolCallsBeside(handle: TaskHandle): number {
  const { draft } = handle;
  if (draft.run.limits.maxToolCalls === undefined) return 0;
  return plannedToolCalls(tasksOfRun(draft).filter((other) => !isSameTask(handle, other)));
}

function plannedToolCalls(tasks: readonly TaskHandle[]): number {
  return tasks.reduce((sum, handle) => sum + uncountedCalls(handle, plannedNumbers(handle)).length, 0);
}

function plannedNumbers({ frame, task: { state } }: TaskHandle): readonly number[] {
  const batch = state.phase === 'open' && !frame.isFailing ? batchAtPosition(state.position) : [];
  return batch.flatMap(({ state: { phase }, number }) => (phase === 'ready' || phase === 'asked' ? [number] : []));
}

/** Returns the failure of tool calls beyond the budget. Open calls and calls planned elsewhere count as made. */
function findToolCallFailure({ run }: Draft, count: number, planned: number): TaskFailure | null {
  const { maxToolCalls } = run.limits;
  if (maxToolCalls === undefined) return null;
  const isCharged = ([key, { called }]: [string, OpenCall]): boolean =>
    called.kind !== 'tool' || run.counted.includes(key);
  const open = Object.entries(run.calls).filter((call) => !isCharged(call)).length;
  const used = run.spent.toolCalls + open;
  if (used + planned + count <= maxToolCalls) return null;
  const exceeded = exceededMessage('maxToolCalls', maxToolCalls, used);
  const others = planned > 0 ? `, and ${planned} are planned in other tool batches` : '';
  const message = `${exceeded}${others}; ${count} more would be made`;
  return { callFailed: false, error: { code: 'BUDGET_EXCEEDED', message } };
}

/** The output tokens assumed for a call without its own maximum, where a budget applies. */
const DEFAULT_OUTPUT = 4_096;

function planModelReservation(draft: Draft, request: ModelCallRequest): BudgetedCall<ModelCallRequest> {
  const { maxTokens, maxCostUsd } = draft.run.limits;
  if (maxTokens === undefined && maxCostUsd === undefined) return { request, reservation: null };
  const needs = needsOfCall(draft, request);
  const totals = reservedTotals(draft) ?? NO_RESERVATION;
  requireTokens(draft, needs, totals);
  requireCost(draft, needs, totals);
  const { input } = needs;
  const output = Math.min(needs.output, availableOutput(draft, needs, totals));
  const price = priceOfModel(draft, needs);
  const costMicros = price ? Math.ceil(input * price.input + output * price.output) : 0;
  return { request: { ...request, maxOutputTokens: output }, reservation: { tokens: input + output, costMicros } };
}

function needsOfCall(draft: Draft, request: ModelCallRequest): ModelNeeds {
  const { model, maxOutputTokens } = request;
  return { model, input: inputTokensOf(draft, request), output: maxOutputTokens ?? DEFAULT_OUTPUT };
}

/** Returns a call's input tokens, limited by its context policy and its model. */
function inputTokensOf({ graph: { catalog } }: Draft, request: ModelCallRequest): number {
  const { contextWindow = Number.POSITIVE_INFINITY } = own(catalog.models, request.model) ?? {};
  return Math.min(estimateRequest(request, catalog.tools), request.context?.maxTokens ?? contextWindow, contextWindow);
}

function requireTokens(draft: Draft, needs: ModelNeeds, { tokens }: Reservation): void {
  const { maxTokens } = draft.run.limits;
  if (maxTokens === undefined || availableByTokens(draft, needs, tokens) >= 1) return;
  const { inputTokens, outputTokens } = draft.run.spent;
  const reserved = availableByTokens(draft, needs, 0) >= 1 ? tokens : 0;
  const exceeded = exceededMessage('maxTokens', maxTokens, inputTokens + outputTokens);
  const message = `${exceeded}${reservedMessage(reserved)}; about ${needs.input} more are needed`;
  throw new GraphError('BUDGET_EXCEEDED', message);
}

/** Refuses a model without a price, because an unknown cost can't be kept within a limit. */
function requireCost(draft: Draft, needs: ModelNeeds, { costMicros }: Reservation): void {
  const { maxCostUsd } = draft.run.limits;
  if (maxCostUsd === undefined || availableByCost(draft, needs, costMicros) >= 1) return;
  const price = priceOfModel(draft, needs);
  if (!price) throw new GraphError('BUDGET_EXCEEDED', `maxCostUsd is set, and the model "${needs.model}" has no price`);
  const reserved = availableByCost(draft, needs, 0) >= 1 ? costMicros : 0;
  const exceeded = exceededMessage('maxCostUsd', maxCostUsd, toUsd(draft.run.spent.costMicros));
  const least = toUsd(Math.ceil(needs.input * price.input + price.output));
  throw new GraphError(
    'BUDGET_EXCEEDED',
    `${exceeded}${reservedMessage(toUsd(reserved))}; at least ${least} more are needed`,
  );
}

/** Returns the output tokens that are available in addition to a reservation; below 1 the call is impossible. */
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
  const price = priceOfModel(draft, needs);
  if (!price) return 0;
  const limit = Math.floor(maxCostUsd * 1_000_000 + ROUNDING);
  const left = limit - run.spent.costMicros - reserved - needs.input * price.input;
  if (left < 0) return 0;
  return price.output === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / price.output);
}

/** Tolerance for floating-point errors of the limit; costs are whole millionths. */
const ROUNDING = 1e-6;

function priceOfModel({ graph }: Draft, { model }: Pick<ModelNeeds, 'model'>): ModelEntry['price'] {
  return own(graph.catalog.models, model)?.price;
}

const toUsd = (micros: number): number => micros / 1_000_000;

function exceededMessage(name: string, limit: number, used: number): string {
  return `The budget ${name} of ${limit} is used up: ${used}`;
}

function reservedMessage(reserved: number): string {
  return reserved === 0 ? '' : `, and ${reserved} are reserved for open calls (a lower maxOutputTokens reserves less)`;
}
