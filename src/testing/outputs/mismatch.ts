import type { Json } from '../../graph/values/index.ts';

/** Why a test is not what its author meant: the run wants what the script lacks, or goes another way. */
export interface Mismatch {
  /** What the script lacks, or what of the run is not as expected; `pause`: the run pauses, and no one lets it go on. */
  readonly kind: 'output' | 'approval' | 'intervention' | 'event' | 'pause' | 'path' | 'state';
  /** The node that wants it; `null`: none. */
  readonly node: string | null;
  readonly message: string;
  /** What would go on; of an event its name, of a path or a state the value that differs. */
  readonly expected: Json;
  /** What there is instead. */
  readonly actual: Json;
}
