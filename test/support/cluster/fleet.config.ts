import { readFileSync } from 'node:fs';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import demo from '../../../holdfast.config.ts';
import { aToolOf } from '../doubles/configured-tool.ts';

const { CONFORMANCE_CONFIG = '', CONFORMANCE_PLACES = '{}', JOBS_URL = '', SLOW_MODEL_URL = '' } = process.env;

/** The models and tools of the conformance suite at their current addresses; empty without the suite. */
function readSuite(): Pick<ConfigInput, 'models' | 'tools' | 'http'> {
  if (CONFORMANCE_CONFIG === '') return {};
  const places: Readonly<Record<string, string>> = JSON.parse(CONFORMANCE_PLACES);
  const moved = Object.entries(places).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(CONFORMANCE_CONFIG, 'utf8'),
  );
  const suite: ConfigInput = JSON.parse(moved);
  return suite;
}

const suite = readSuite();
const placesOf = ({ http }: Pick<ConfigInput, 'http'>): readonly string[] => http?.allow ?? [];

/** The demo's configuration with the models and tools of the conformance suite; a killed worker is detected sooner. */
export default {
  ...demo,
  models: {
    ...suite.models,
    ...demo.models,
    slow: { provider: 'openai-compatible', model: 'slow', baseUrl: `${SLOW_MODEL_URL}/v1` },
  },
  tools: [...(demo.tools ?? []), ...(suite.tools ?? []), aToolOf({ url: JOBS_URL }, { timeout: '5m' })],
  http: { allow: [...placesOf(demo), ...placesOf(suite), new URL(JOBS_URL).host, new URL(SLOW_MODEL_URL).host] },
  graphs: { folder: '../../../graphs', tenants: ['demo'] },
  defaults: { heartbeatTimeout: '10s' },
};
