export { arrowsOfNode, arrowsOfEdge, NO_MARKS } from './diagram.ts';
export type { MarkedNodes } from './diagram.ts';
export { toMermaid, toPlantUml, DIAGRAM_WRITERS } from './write-diagram.ts';
export type { DiagramFormat } from './write-diagram.ts';
