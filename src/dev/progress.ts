/** A part of a stack that has started. */
export interface StartedPart {
  /** Such as `Temporal`. */
  readonly name: string;
  readonly tookMs: number;
}

/** Starts a part and measures how long that takes. */
export type TimePart = <T>(name: string, start: () => Promise<T>) => Promise<T>;

/** Returns a function that reports each part once it has started. */
export function timeParts(report: (part: StartedPart) => void): TimePart {
  return async (name, start) => {
    const began = performance.now();
    const part = await start();
    report({ name, tookMs: performance.now() - began });
    return part;
  };
}

/** Starts a part without a report. */
export const startWithoutReport: TimePart = async (_, start) => await start();
