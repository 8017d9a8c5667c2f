import type { SpanContext } from '@opentelemetry/api';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';

type Ids = Pick<SpanContext, 'traceId' | 'spanId'>;

/** Gives random ids, or those that are known before. */
export class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: Ids | null = null;

  /** Has the spans that `start` begins take these ids. */
  with<T>(ids: Ids, start: () => T): T {
    this.#given = ids;
    try {
      return start();
    } finally {
      this.#given = null;
    }
  }

  generateTraceId = (): string => this.#given?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#given?.spanId ?? this.#random.generateSpanId();
}
