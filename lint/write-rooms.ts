import { writeFileSync } from 'node:fs';
import { ROOMS } from './rooms.ts';
import { toLintFile } from './to-lint-file.ts';

writeFileSync(new URL('rooms.json', import.meta.url), toLintFile(ROOMS));
