import type { METRICS } from './catalog.ts';

export type MetricName = keyof typeof METRICS;

/** The labels of a metric; one that does not apply is `undefined`. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof (typeof METRICS)[Name]['labels']]: string | number | undefined;
};

interface MeasurementOf<Name extends MetricName> {
  readonly name: Name;
  readonly value: number;
  readonly labels: LabelsOf<Name>;
}

/** A value of a metric. */
export type Measurement = { readonly [Name in MetricName]: MeasurementOf<Name> }[MetricName];
