import { z } from 'zod';

/** How often something may be called. */
export const Effect = z.enum(['idempotent', 'keyed', 'unsafe']);
