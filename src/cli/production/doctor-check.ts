/** One thing that an installation needs. */
export interface DoctorCheck {
  readonly name: string;
  /** @returns what was found. @throws Error that says what is wrong */
  readonly find: () => Promise<string>;
  /** What mends it. */
  readonly mend: string;
}

/** What says how an installation is set up. */
export interface Patient {
  readonly environment: NodeJS.ProcessEnv;
  /** The configuration file; `undefined`: there is none. */
  readonly configFile: string | undefined;
}
