import { run } from '../../../bin/run.js';

/* The command `holdfast` of a package, which a clone does not run. */

await run(process.argv.slice(2), true);
