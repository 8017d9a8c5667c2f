import type { EchoTool } from '../echo-tool.ts';
import type { Peer } from '../peer.ts';

/** One measurement of all peers. */
export interface Row {
  readonly name: string;
  /** The measured quantity with its unit. */
  readonly title: string;
  readonly isLessBetter: boolean;
  /** The number of samples in a round. */
  readonly samples: number;
  /**
   * The number of steps or runs in a sample by which its processor time is divided; `null` if that is not meaningful.
   */
  readonly shares: number | null;
  /** Measures once. @returns the value in the unit of the title */
  measure(peer: Peer, tool: EchoTool): Promise<number>;
}

/** @returns milliseconds */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
