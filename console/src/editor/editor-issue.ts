/** Something to say about a place in a text. */
export interface EditorIssue {
  readonly offset: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string | undefined;
}
