import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const API = process.env['HOLDFAST_URL'] ?? 'http://127.0.0.1:3000';

/** Builds the console into `console/dist`; `npm run console` serves it while it is written, in front of a running API. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  resolve: { alias: { 'holdfast/client': fileURLToPath(new URL('../src/client/index.ts', import.meta.url)) } },
  build: { target: 'es2023', sourcemap: false, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { '/api': API, '/console/config.json': API, '/console/local-sign-in': API } },
});
