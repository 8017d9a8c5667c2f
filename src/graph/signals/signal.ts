import type { Draft } from '../draft/draft.ts';
import type { UnknownCompensation } from '../run/compensation.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/occurrence.ts';
import type { JsonSchema } from '../values/json-schema.ts';
import { isJsonObject, toItems } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** A decision or control that reaches a run from outside, through the API or the tools of Temporal. */
export interface SignalKind {
  /** One line for the Temporal Web UI. */
  readonly description: string;
  /** The fields besides `signalId` and `by`. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** The late stage in which the run also accepts the signal; by default it accepts none once it is ending. */
  readonly alsoTaken?: LateStage;
  handle(draft: Draft, request: SignalRequest): SignalOutcome;
  /** Handles a compensation with an unknown outcome; without it, a compensating run refuses the signal. */
  handleCompensation?(draft: Draft, unknown: UnknownCompensation, request: SignalRequest): SignalOutcome;
}

/**
 * The run has ended (`ended`), waits for its calls before it ends (`ending`), or requests approvals for a compensation
 * (`asking`).
 */
export type LateStage = 'ended' | 'ending' | 'asking';

/** A person's reason, with the length limit of the HTTP API. It is copied to errors, events and approvals. */
export const REASON = { type: 'string', maxLength: 2_000 } as const;

export interface SignalRequest {
  readonly payload: JsonObject;
  readonly by: Principal;
}

/** The result of a signal: accepted, with a value for its sender, or refused without any change. */
export type SignalOutcome =
  | { readonly taken: true; readonly value: Json }
  | { readonly taken: false; readonly refusal: Refusal };

export function acceptSignal(value: Json = null): SignalOutcome {
  return { taken: true, value };
}

export function refuseSignal(refusal: Refusal): SignalOutcome {
  return { taken: false, refusal };
}

/** Returns a text field of a payload whose schema has checked that it is a text or absent. */
export function textField(payload: JsonObject, field: string): string | undefined {
  const value = payload[field];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the texts in a field of a payload, which is a text or a list of texts; `undefined` if the field is absent.
 */
export function textsField(payload: JsonObject, field: string): readonly string[] | undefined {
  const value = payload[field];
  return value === undefined ? undefined : toItems(value).filter((item) => typeof item === 'string');
}

/** Returns a payload's values; `null` if there are none. */
export function valuesField({ values }: JsonObject): JsonObject | null {
  return isJsonObject(values) && Object.keys(values).length > 0 ? values : null;
}
