import { readdirSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { SETTINGS } from '../../../src/config/settings.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { readImageFiles } from '../../support/deployment/image-files.ts';
import { readFile } from '../../support/readers/documentation.ts';
import { at, textAt } from '../../support/readers/json-at.ts';

/* What of the chart can be checked without Helm; `test/system/chart.test.ts` has Helm render it. */

const CHART = 'deploy/helm/holdfast';
const values = toJson(parse(readFile(`${CHART}/values.yaml`)));
const templates = readdirSync(`${CHART}/templates`).map((name) => readFile(`${CHART}/templates/${name}`));
const found = (pattern: RegExp): readonly string[] => [
  ...new Set(templates.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))),
];
const takes = new Ajv({ strict: false }).compile(JSON.parse(readFile(`${CHART}/values.schema.json`)));

test('the values of the Helm chart match their schema, which refuses unknown ones', () => {
  expect(takes(values)).toBe(true);
  expect(takes({ existingSecret: 'holdfast', workers: {} })).toBe(false);
  expect(takes({ existingSecret: 'holdfast', worker: { autoscaling: { minReplica: 1 } } })).toBe(false);
});

test('the templates of the Helm chart use only existing values', () => {
  const used = found(/\.Values\.([\w.]+)/g);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((path) => at(values, `/${path.replaceAll('.', '/')}`) === undefined)).toEqual([]);
});

test('the containers of the Helm chart get variables that the processes read, and run existing commands', () => {
  const variables = found(/- name: ([A-Z_]+)$/gm);
  expect(variables).toContain('TEMPORAL_API_KEY');
  const known = new Set([...Object.keys(SETTINGS), 'NODE_ENV', 'NODE_OPTIONS']);
  expect(variables.filter((name) => !known.has(name))).toEqual([]);
  expect(found(/args: \[(\w+)/g).filter((command) => !COMMANDS.has(command))).toEqual([]);
  expect(readImageFiles().copied).toContain(textAt(values, '/image/command/1').split('/')[0]);
});
