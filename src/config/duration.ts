import { z } from 'zod';
import { parseDuration } from '../graph/duration.ts';

export const Duration = z.string().refine((text) => parseDuration(text) !== null, 'must be a duration such as "30s"');
