/** An embedded PostgreSQL. It has one connection. */
export interface EmbeddedDatabase {
  readonly waitReady: Promise<void>;
  query<R>(statement: string, parameters: unknown[]): Promise<StatementResult<R>>;
  /** Executes statements without parameters and results. */
  exec(statements: string): Promise<unknown>;
  /** Has a listener hear all notifications. @returns a function that ends that */
  onNotification(listener: (channel: string, payload: string) => void): () => void;
}

export interface StatementResult<R> {
  readonly rows: R[];
  readonly affectedRows?: number;
}
