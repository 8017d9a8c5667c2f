import { METRICS } from '../../src/telemetry/metrics/catalog.ts';
import type { MetricFacts } from '../../src/telemetry/metrics/catalog.ts';
import { code, paragraphs, table } from '../markdown.ts';
import type { Page } from '../page.ts';

const facts: Readonly<Record<string, MetricFacts>> = METRICS;

/** What Prometheus adds to the name of a metric of a kind. */
const SUFFIXES: Readonly<Record<MetricFacts['kind'], string>> = {
  counter: '_total',
  histogram: '_bucket`, `_sum`, `_count',
  gauge: '',
  level: '',
};

const shown = (name: string): string => name.replaceAll('.', '_');

function nameOf(name: string, { kind }: MetricFacts): string {
  const suffix = SUFFIXES[kind];
  return kind === 'histogram' ? `${code(shown(name))} (\`${suffix}\`)` : code(shown(name) + suffix);
}

function labelsOf({ labels }: MetricFacts): string {
  return Object.entries(labels)
    .map(([label, kind]) => `${code(shown(label))}${kind === 'named' ? String.raw`\*` : ''}`)
    .join(', ');
}

function boundsOf(bounds: readonly number[]): string {
  const [first = 0, last = 0] = [bounds[0], bounds.at(-1)];
  return `${first} to ${last}`;
}

export const metricsPage: Page = {
  name: 'metrics',
  title: 'Metrics',
  summary: 'Every metric, its labels, and where it is measured.',
  render: () =>
    paragraphs(
      'Names are those of `GET /metrics`. By OTLP, they have dots where these have `_` in the place of one, such as `holdfast.run.duration`, and no `_total`. Durations and ages are in seconds. [Monitoring](../monitoring.md) says how to get at them, and what to do about them.',
      table(
        ['metric', 'at', 'what it measures', 'labels'],
        Object.entries(facts).map(([name, metric]) => [
          nameOf(name, metric),
          metric.at,
          metric.about,
          labelsOf(metric),
        ]),
      ),
      'People choose the values of labels with a star. The first 100 of each are told apart in a process, and cut to 100 characters; the others are `other`.',
      '## Buckets',
      table(
        ['histogram', 'bounds', 'buckets'],
        Object.entries(facts).flatMap(([name, { bounds, unit }]) =>
          bounds
            ? [[code(shown(name)), `${boundsOf(bounds)}${unit === 's' ? ' s' : ''}`, String(bounds.length + 1)]]
            : [],
        ),
      ),
    ),
};
