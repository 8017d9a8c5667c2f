import type { EchoTool } from '../echo-tool.ts';
import type { Peer } from '../peer.ts';

/** One question that all peers are asked. */
export interface Row {
  readonly name: string;
  /** What is measured, with its unit. */
  readonly title: string;
  readonly isLessBetter: boolean;
  /** How often it is measured in a round. */
  readonly samples: number;
  /** The steps of a sample, or the one run, among which its processor time is divided; `null` where it says nothing. */
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
