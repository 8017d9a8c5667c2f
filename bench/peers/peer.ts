import type { Teardown } from '../../src/dev/teardown.ts';
import type { PostgresServer } from '../../test/support/servers/postgres-server.ts';
import type { EchoTool } from './echo-tool.ts';

/** Something that runs a caller's steps durably, or claims to, and that rows measure from outside. */
export interface Peer {
  readonly name: string;
  /** The processes that it consists of; what they have started belongs to them. */
  readonly processes: readonly number[];
  /** One run that calls the tool so many times, one call after another. */
  toolSteps(steps: number): Promise<void>;
  /** One run that makes so many calls of the tool at once. */
  fanOut(calls: number): Promise<void>;
  /** One run of so many steps that call nobody. */
  pureSteps(steps: number): Promise<void>;
  /** Starts a run that waits for a decision, and calls the tool then. */
  ask(): Promise<Asking>;
}

export interface Asking {
  /** Resolves when the decision is accepted. */
  decide(): Promise<void>;
  /** Resolves when the run has ended. */
  ended(): Promise<void>;
}

/** What all peers share: the other side of the tool, and a database server. */
export interface Surroundings {
  readonly tool: EchoTool;
  readonly postgres: PostgresServer;
  /** Where `npm run build` has been, Holdfast runs what it has built. */
  readonly isBuilt: boolean;
  /** Ends what peers have started. */
  readonly teardown: Teardown;
}

/** One set of processes, which may be measured as several peers. */
export interface Host {
  readonly peers: readonly string[];
  /** Starts it. @returns its peers, in the order of their names */
  open(surroundings: Surroundings): Promise<readonly Peer[]>;
}
