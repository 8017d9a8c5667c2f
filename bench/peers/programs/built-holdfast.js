import { run } from '../../../bin/run.js';

/* The command `holdfast` of the built package, which a clone does not use by default. */

await run(process.argv.slice(2), true);
