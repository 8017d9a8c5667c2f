#!/usr/bin/env node
// TypeScript runs as it is, by tsx, also from within node_modules.
import { register } from 'tsx/esm/api';

register();
const { main } = await import('../src/cli/main.ts');
process.exitCode = await main(process.argv.slice(2), process);
