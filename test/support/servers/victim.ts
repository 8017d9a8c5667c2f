/** A process, or a family of them, that can be ended in each way and started again where it was. */
export interface Victim {
  /** Ends it at once, as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Lets it stand still: its connections stay open and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}
