/** The labels of each metric in Prometheus' text format, by the names that queries use. */
export type ExportedMetrics = ReadonlyMap<string, ReadonlySet<string>>;

const SERIES = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+/;
const LABEL = /([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g;

export function readExported(text: string): ExportedMetrics {
  const exported = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = SERIES.exec(line) ?? [];
    if (name === undefined) continue;
    const known = exported.get(name) ?? new Set();
    for (const [, label] of labels.matchAll(LABEL)) if (label !== undefined) known.add(label);
    exported.set(name, known);
  }
  return exported;
}
