import type { JsonSchema } from '../values/json-schema.ts';
import type { Draft } from '../superstep/draft.ts';
import type { Json, JsonObject } from '../values/json.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import type { UnknownCompensation } from '../run/compensation.ts';

/** A decision or control that reaches a run from outside: by the API or by Temporal's own tools. */
export interface SignalKind {
  /** One line for the Temporal Web UI. */
  readonly description: string;
  /** The fields it takes besides `decisionId` and `by`. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** A run that has ended may take it. */
  readonly reopens?: true;
  /** A run that only waits for its calls before it is over may take it. */
  readonly whileEnding?: true;
  handle(draft: Draft, request: SignalRequest): Handled;
  /** What it does to an undo that is in doubt; without it, a run that is being undone does not take it. */
  handleCompensation?(draft: Draft, doubt: UnknownCompensation, request: SignalRequest): Handled;
}

export interface SignalRequest {
  readonly payload: JsonObject;
  readonly by: Principal;
}

/** What a signal came to: taken, with what its sender is told; or refused, and nothing has changed. */
export type Handled =
  | { readonly taken: true; readonly value: Json }
  | { readonly taken: false; readonly refusal: Refusal };

export function taken(value: Json = null): Handled {
  return { taken: true, value };
}

export function refused(refusal: Refusal): Handled {
  return { taken: false, refusal };
}

/** A text field of a payload whose schema says that it is text or absent. */
export function textOf(payload: JsonObject, field: string): string | undefined {
  const value = payload[field];
  return typeof value === 'string' ? value : undefined;
}
