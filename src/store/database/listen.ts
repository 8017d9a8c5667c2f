/** A subscription to a notification channel of the database. */
export interface Listening {
  close(): Promise<void>;
}

export interface ChannelListener {
  received(payload: string): void;
  /** Called when the channel has been opened, first and after each interruption. Notifications from before are lost. */
  opened(): void;
}

/** Subscribes to a channel without waiting until it is open. The channel's name must be an SQL identifier. */
export type Listen = (channel: string, listener: ChannelListener) => Listening;
