/** Options of a worker or an API process. All other settings come from the environment. */
export interface ProcessOptions {
  /** The configuration file; by default the one that `HOLDFAST_CONFIG` names, or the one in the working folder. */
  readonly config?: string | undefined;
}

/** Returns the variables that are set, by their names. An empty variable counts as not set. */
export function setVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );
}
