import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';

const API = process.env['HOLDFAST_URL'] ?? 'http://127.0.0.1:3000';

const compressed = promisify(gzip);

/** Writes what scripts and styles are compressed, so that no request waits for that. Every browser takes gzip, also by HTTP. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const files = (await readdir(dir, { recursive: true })).filter((name) => /\.(?:js|css)$/.test(name));
      const compress = async (file: string): Promise<void> => {
        await writeFile(`${file}.gz`, await compressed(await readFile(file)));
      };
      await Promise.all(files.map(async (name) => await compress(join(dir, name))));
    },
  };
}

/** What most pages share, as one file: browsers ask for six at a time. The rest is as pages need it. */
const SHARED =
  /node_modules\/(?:react|react-dom|scheduler|wouter|regexparam|use-sync-external-store|@tanstack\/(?:react-)?query(?:-core)?|jsondiffpatch)\/|\/src\/client\/|\/console\/src\/(?:api\/|form\/|layout\/|parts\/(?!markdown)|session\/|pages\/paths)/;

/** Builds the console into `console/dist`; `npm run console` serves it while it is written, in front of a running API. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), precompress()],
  resolve: { alias: { 'holdfast/client': fileURLToPath(new URL('../src/client/index.ts', import.meta.url)) } },
  build: {
    target: 'es2023',
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: { output: { manualChunks: (id) => (SHARED.test(id) ? 'shared' : undefined) } },
  },
  server: {
    proxy: {
      '/api': API,
      '/admin': API,
      '/schemas': API,
      '/console/config.json': API,
      '/console/local-sign-in': API,
    },
  },
});
