import type { OptionalPayload, OptionalText, Payload, Time } from '../database/columns.ts';
import type { JsonObject } from '../../graph/values/index.ts';

/** The ways in which other systems sign. */
export type HookScheme = 'standard' | 'github' | 'stripe' | 'slack';

/** What a message does. Input and run are templates over it. */
export type HookAction =
  | { readonly start: { readonly graph: string; readonly input: JsonObject } }
  | { readonly event: { readonly run: string; readonly name: string } };

export interface HooksTable {
  tenant_id: string;
  name: string;
  scheme: HookScheme;
  /** `null`: `secret_name` says where it is. */
  secret: OptionalText;
  secret_name: OptionalText;
  action: Payload<HookAction>;
  /** The channels of its input that were redacted when it was written. */
  redacted: readonly string[];
  created_at: Time;
  updated_at: Time;
  updated_by: string;
  /** Those of who changed it last. */
  roles: readonly string[];
}

/** What became of a message. */
export type HookAnswer = { readonly runId: string } | { readonly ok: true };

export interface HookMessagesTable {
  tenant_id: string;
  hook: string;
  /** A hash of what tells it from others. */
  message: string;
  /** The id of its run, or of its event. */
  work_id: string;
  /** Until then one process alone works on it. */
  lease_until: Time;
  /** `null`: it is not done yet. */
  answer: OptionalPayload<HookAnswer>;
  received_at: Time;
}
