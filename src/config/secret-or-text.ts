import { z } from 'zod';

const Secret = z.strictObject({ secret: z.string().min(1) });

/** A text as it is, or the name of the secret that it stands for. */
export const SecretOrText = z.union([z.string(), Secret]);
