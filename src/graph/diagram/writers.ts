import { toMermaid } from './mermaid.ts';
import { toPlantUml } from './plant-uml.ts';

/** What draws a definition, by the language of the drawing. */
export const DIAGRAM_WRITERS = { mermaid: toMermaid, plantuml: toPlantUml } as const;

export type DiagramFormat = keyof typeof DIAGRAM_WRITERS;
