import { parseDuration, toMs } from '../graph/values/index.ts';

/** What an installation says of the API itself. */
export interface ApiSettings {
  /** For how long runs that have ended are kept, and all of their states; milliseconds, `null`: for ever. */
  readonly retention: { readonly runsMs: number | null; readonly checkpointsMs: number | null };
  /** Runs may begin at checkpoints of others. */
  readonly forking: boolean;
  /** So long a process that ends may take to finish what it has begun. */
  readonly shutdownGraceMs: number;
}

/** The part of a configuration that is about the API itself; durations are text, such as `30d`. */
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
