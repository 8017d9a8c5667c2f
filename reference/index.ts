import { mkdir, writeFile } from 'node:fs/promises';
import { isJsonObject } from '../src/graph/values/index.ts';
import { startTestApi } from '../test/support/servers/test-api.ts';
import { PAGES } from './all-pages.ts';
import { renderDescription } from './render-description.ts';
import { renderLlms } from './render-llms.ts';
import { renderIndex, renderPage } from './render-page.ts';

/* Writes docs/reference, docs/openapi.json and docs/llms.txt: `npm run docs:reference`. */

const FOLDER = new URL('../docs/reference/', import.meta.url);

const api = await startTestApi();
const { body } = await api.stranger.get('/openapi.json');
if (!isJsonObject(body)) throw new Error('The API has no description');
await mkdir(FOLDER, { recursive: true });
for (const page of PAGES) await writeFile(new URL(`${page.name}.md`, FOLDER), await renderPage(page, body));
await writeFile(new URL('index.md', FOLDER), await renderIndex(PAGES));
await writeFile(new URL('../openapi.json', FOLDER), renderDescription(body));
await writeFile(new URL('../llms.txt', FOLDER), renderLlms());
await api.stop();
// The formatter keeps its threads.
process.exit();
