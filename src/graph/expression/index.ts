export { parseExpression } from './expression.ts';
export { fillFromMessage, findTemplateFault, splitIntoPieces } from './template.ts';
export type { Filled, Message } from './template.ts';
