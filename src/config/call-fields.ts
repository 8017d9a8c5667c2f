import { z } from 'zod';
import { Duration, TimeSpan } from '../graph/schema.ts';

const Retry = z.strictObject({
  maxAttempts: z.int().min(1).optional(),
  initialInterval: Duration.optional(),
  backoffCoefficient: z.number().min(1).optional(),
  maxInterval: Duration.optional(),
  nonRetryable: z.array(z.string()).readonly().optional(),
});

/** How calls of something are tried. */
export const callFields = { timeout: TimeSpan.optional(), retry: Retry.optional() };
