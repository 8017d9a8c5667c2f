import type { JsonObject } from '../graph/values/index.ts';

/** A stored secret, or the name under which the secret resolver finds it. */
export type HookSecret = { readonly value: string } | { readonly secret: string };

/** An inbound webhook: an endpoint for signed messages of another system. */
export interface Hook extends HookKey {
  readonly scheme: HookScheme;
  readonly secret: HookSecret;
  readonly action: HookAction;
  /** The input channels that were redacted when the hook was stored. */
  readonly redacted: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The user who changed the hook last, on whose behalf it acts. */
  readonly by: { readonly sub: string; readonly roles: readonly string[] };
}

export interface HookKey {
  readonly tenantId: string;
  readonly name: string;
}

export type NewHook = Omit<Hook, 'createdAt' | 'updatedAt'>;

/** The signature schemes of other systems. */
export const HOOK_SCHEMES = ['standard', 'github', 'stripe', 'slack'] as const;
export type HookScheme = (typeof HOOK_SCHEMES)[number];

/** The effect of a message. Input and run are templates over the message. */
export type HookAction =
  | { readonly start: { readonly graph: string; readonly input: JsonObject } }
  | { readonly event: { readonly run: string; readonly name: string } };

/** The result of a message. */
export type HookAnswer = { readonly runId: string } | { readonly ok: true };
