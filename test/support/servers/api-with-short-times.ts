import { runApi } from '../../../src/api/server.ts';
import { SHORT_TIMES } from './short-times.ts';

/* An API process with a fast webhook schedule. */

await runApi({}, SHORT_TIMES);
