/** A folder of `src` with the folders below it that are no rooms themselves, or one file. */
export interface Room {
  /** Other rooms it may import. */
  readonly rooms: readonly string[];
  /** Other rooms of which it may import types. */
  readonly types?: readonly string[];
  /** Packages it may import; `node:*` stands for all modules of Node. */
  readonly packages?: readonly string[];
  /** Packages of which it may import types. */
  readonly typePackages?: readonly string[];
  /** The only files that rooms outside its parent folder may import. */
  readonly face?: readonly string[];
  /** `pure`: same input, same output. `sandbox`: runs where Temporal replays it. `entry`: may read the environment. */
  readonly code?: 'pure' | 'sandbox' | 'entry';
}
