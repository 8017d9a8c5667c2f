import type { ExporterName } from './choose-exporter.ts';

/** What a process sends to others. */
export interface Exporting {
  /** Where it goes; `null`: nothing is sent. */
  readonly exporter: ExporterName | null;
  /** Sends what is left, and stops. */
  close(): Promise<void>;
}

export interface ExportOptions {
  /** The name of the process, unless `OTEL_SERVICE_NAME` says another one. */
  readonly service: string;
  /** Is told what the SDK can't do. */
  readonly report: (message: string) => void;
}

export const NOT_EXPORTING: Exporting = { exporter: null, close: async () => undefined };
