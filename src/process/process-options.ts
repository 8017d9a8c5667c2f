/** Options of a worker or an API process. All else comes from the environment. */
export interface ProcessOptions {
  /** The configuration file; by default the one that `HOLDFAST_CONFIG` names, or the one in the working folder. */
  readonly config?: string | undefined;
}
