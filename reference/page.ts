import type { JsonObject } from '../src/graph/values/index.ts';

/** A page of the reference. */
export interface Page {
  /** The name of its file in `docs/reference`, without `.md`. */
  readonly name: string;
  readonly title: string;
  /** One sentence for lists of pages. */
  readonly summary: string;
  /** Returns the page below its title, as Markdown. */
  readonly render: (sources: Sources) => string;
}

/** What pages are made of, besides what they import. */
export interface Sources {
  /** The API's description, as `GET /openapi.json` answers it. */
  readonly api: JsonObject;
  /** The text of a file in `examples/reference`. */
  readonly example: (name: string) => string;
}
