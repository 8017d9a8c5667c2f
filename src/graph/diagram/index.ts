export { arrowsOfNode, arrowsOfEdge } from './arrows.ts';
export { NO_MARKS } from './diagram.ts';
export type { Marks } from './diagram.ts';
export { toMermaid } from './mermaid.ts';
export { toPlantUml } from './plant-uml.ts';
export { DIAGRAM_WRITERS } from './writers.ts';
export type { DiagramFormat } from './writers.ts';
