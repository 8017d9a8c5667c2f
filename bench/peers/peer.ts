import type { Teardown } from '../../src/dev/teardown.ts';
import type { PostgresServer } from '../../test/support/servers/postgres-server.ts';
import type { EchoTool } from './echo-tool.ts';

/** A system with durable execution that rows measure from outside. */
export interface Peer {
  readonly name: string;
  /** Its processes; their descendants are included. */
  readonly processes: readonly number[];
  /** Executes one run with the given number of sequential tool calls. */
  toolSteps(steps: number): Promise<void>;
  /** Executes one run with the given number of parallel tool calls. */
  fanOut(calls: number): Promise<void>;
  /** Executes one run with the given number of steps without calls. */
  pureSteps(steps: number): Promise<void>;
  /** Starts a run that waits for a decision and then calls the tool. */
  ask(): Promise<Asking>;
}

export interface Asking {
  /** Resolves when the decision is accepted. */
  decide(): Promise<void>;
  /** Resolves when the run has ended. */
  ended(): Promise<void>;
}

/** The parts that all peers share: the server of the tool, and a database server. */
export interface SharedServers {
  readonly tool: EchoTool;
  readonly postgres: PostgresServer;
  /** True if Holdfast runs the output of `npm run build`. */
  readonly isBuilt: boolean;
  /** Stops what peers have started. */
  readonly teardown: Teardown;
}

/** One set of processes, which may be measured as several peers. */
export interface Host {
  readonly peers: readonly string[];
  /** Starts it. @returns its peers, in the order of their names */
  open(servers: SharedServers): Promise<readonly Peer[]>;
}
