/** A process, or a process tree, that can be killed, stopped, suspended and restarted. */
export interface Victim {
  /** Kills it at once, like a power failure, and waits until it has ended. */
  kill(): Promise<void>;
  /** Asks it to stop, and waits until it has ended. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Suspends it: its connections stay open without responses. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
}
