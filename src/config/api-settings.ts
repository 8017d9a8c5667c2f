/** What an installation says of the API itself. */
export interface ApiSettings {
  /** For how long runs that have ended are kept, and all of their states; milliseconds, `null`: for ever. */
  readonly retention: { readonly runsMs: number | null; readonly checkpointsMs: number | null };
  /** Runs may begin at checkpoints of others. */
  readonly forking: boolean;
  /** So long a process that ends may take to finish what it has begun. */
  readonly shutdownGraceMs: number;
}
