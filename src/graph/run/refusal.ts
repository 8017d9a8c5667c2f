import type { Json } from '../values/json.ts';

/** The result of a decision or control: taken, or refused with a reason that the API turns into a response. */
export type SignalResult =
  | { readonly id: string; readonly taken: true; readonly value: Json }
  | { readonly id: string; readonly taken: false; readonly refusal: Refusal };

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly issues?: readonly { readonly path: string; readonly message: string }[];
  /** The ids of approvals that wait instead, the first ones. */
  readonly pending?: readonly string[];
  /** The messages come from expressions or reducers, which may quote values. */
  readonly mayQuote?: true;
}

export type RefusalCode =
  | 'NOT_ALLOWED_NOW'
  | 'UNKNOWN_APPROVAL'
  | 'APPROVAL_ID_REQUIRED'
  | 'ALREADY_DECIDED'
  | 'APPROVAL_EXPIRED'
  | 'APPROVAL_CANCELED'
  | 'APPROVAL_CHANGED'
  | 'NOT_AN_APPROVER'
  | 'REASON_REQUIRED'
  | 'INVALID_ARGS'
  | 'INVALID_VALUES'
  | 'UNKNOWN_INTERVENTION'
  | 'INTERVENTION_ID_REQUIRED'
  | 'UNKNOWN_SIGNAL'
  | 'BUFFER_FULL'
  | 'STALE'
  | 'LIMIT_TOO_LOOSE'
  | 'MALFORMED';
