import { runApi } from '../../../src/api/server.ts';
import { HASTY_TIMES } from './hasty-times.ts';

/* An API process with a fast webhook schedule. */

await runApi({}, HASTY_TIMES);
