import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../../', import.meta.url);
const read = async (path: string): Promise<string> => await readFile(new URL(path, root), 'utf8');

const Rules = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) });

test('each Prometheus alert has a section in the documentation, and each section an alert', async () => {
  const { groups } = Rules.parse(parse(await read('deploy/prometheus/alerts.yml')));
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const sections = [...(await read('docs/monitoring.md')).matchAll(/^### (Holdfast\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(alerts);
});
