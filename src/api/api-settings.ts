import { parseDuration, toMs } from '../graph/values/index.ts';

/** Settings of the API itself. */
export interface ApiSettings {
  /** The times for which ended runs and their states are kept, in milliseconds; `null`: for ever. */
  readonly retention: { readonly runsMs: number | null; readonly checkpointsMs: number | null };
  /** Runs may begin at checkpoints of other runs. */
  readonly forking: boolean;
  /** The time that a process has to finish open requests when it shuts down. */
  readonly shutdownGraceMs: number;
}

/** The part of a configuration that is about the API; durations are texts such as `30d`. */
interface ApiConfig {
  readonly retention: { readonly runs?: string | undefined; readonly checkpoints?: string | undefined };
  readonly forking: boolean;
  readonly shutdownGrace: string;
}

export function toApiSettings({ retention, forking, shutdownGrace }: ApiConfig): ApiSettings {
  const { runs, checkpoints } = retention;
  return {
    retention: { runsMs: ageOf(runs), checkpointsMs: ageOf(checkpoints) },
    forking,
    shutdownGraceMs: toMs(shutdownGrace),
  };
}

function ageOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}
