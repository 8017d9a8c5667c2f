/** Hears what the database notifies on a channel, until it is closed. */
export interface Listening {
  close(): Promise<void>;
}

export interface Ears {
  heard(payload: string): void;
  /** Called when the channel is open, at first and after each interruption: what was notified before is not heard. */
  opened(): void;
}

/** Opens a channel; it does not wait until that is open. The name of the channel is an identifier of SQL. */
export type Listen = (channel: string, ears: Ears) => Listening;
