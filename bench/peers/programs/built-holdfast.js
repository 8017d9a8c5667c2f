import { main } from '../../../dist/cli/main.js';

/* The command `holdfast` of a package, which a clone does not run. */

process.exitCode = await main(process.argv.slice(2), process);
