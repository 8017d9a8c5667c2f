import { runApi } from '../../../src/api/server.ts';
import { HASTY_TIMES } from './hasty-times.ts';

/* An API process that tells webhooks at hasty times. */

await runApi({}, HASTY_TIMES);
