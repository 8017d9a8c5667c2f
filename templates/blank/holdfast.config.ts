import { defineConfig } from 'holdfast';
import { greet } from './tools/greet.ts';

export default defineConfig({ tools: [greet], graphs: './graphs' });
