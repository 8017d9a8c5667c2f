import type { Draft } from '../../../form/draft.ts';

/** What a person has written for a decision and not sent. */
export interface DecisionDraft {
  /** `null`: as proposed. */
  readonly args: Draft | null;
  readonly values: Draft | null;
  readonly reason: string;
}

/** Where the tab keeps what is written for an approval. */
export function placeOf(approvalId: string): string {
  return `approval ${approvalId}`;
}
