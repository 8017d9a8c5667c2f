#!/usr/bin/env node
import { run } from './run.js';

await run(['init', ...process.argv.slice(2)]);
