/** What a configuration file imports. */
export { defineConfig } from './config.ts';
export type { ConfigInput } from './config.ts';
