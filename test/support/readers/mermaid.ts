import createPurifier from 'dompurify';

/** A flowchart as parsed by Mermaid's own parser. */
export interface ParsedFlowchart {
  /** The text of every shape except subgraphs, by key. */
  readonly shapes: ReadonlyMap<string, string>;
  /** The text of every subgraph, by key. */
  readonly subgraphs: ReadonlyMap<string, string>;
  readonly arrows: readonly {
    readonly from: string;
    readonly to: string;
    readonly stroke: string;
    readonly label: string;
  }[];
  /** The classes of every shape that has some. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
}

/** @throws Error if the text is no flowchart */
export async function parseMermaid(text: string): Promise<ParsedFlowchart> {
  // Without a DOM the parser's sanitizer is only a factory; tests check what it would remove.
  Object.assign(createPurifier, { addHook: () => {}, sanitize: (label: string) => label });
  const { default: mermaid } = await import('mermaid');
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  if (!isFlowchart(db)) throw new TypeError('This is no flowchart');
  const subgraphs = db.getSubGraphs();
  const vertices = [...db.getVertices().values()].filter(({ id }) => !subgraphs.some((subgraph) => subgraph.id === id));
  const classed = [...db.getVertices().values(), ...subgraphs];
  return {
    shapes: new Map(vertices.map(({ id, text: label }) => [id, decode(label)])),
    subgraphs: new Map(subgraphs.map(({ id, title }) => [id, decode(title)])),
    arrows: db
      .getEdges()
      .map(({ start, end, stroke, text: label }) => ({ from: start, to: end, stroke, label: decode(label) })),
    classes: new Map(classed.flatMap(({ id, classes }) => (classes.length > 0 ? [[id, classes] as const] : []))),
  };
}

interface Flowchart {
  getVertices(): ReadonlyMap<
    string,
    { readonly id: string; readonly text?: string; readonly classes: readonly string[] }
  >;
  getEdges(): readonly {
    readonly start: string;
    readonly end: string;
    readonly stroke: string;
    readonly text: string;
  }[];
  getSubGraphs(): readonly { readonly id: string; readonly title: string; readonly classes: readonly string[] }[];
}

function isFlowchart(db: object): db is Flowchart {
  return 'getVertices' in db && 'getEdges' in db && 'getSubGraphs' in db;
}

/** Labels contain character references in the parser's own format until they are drawn. */
function decode(label = ''): string {
  return label
    .replaceAll('<br/>', '\n')
    .replaceAll(/ﬂ°°(\d+)¶ß/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
