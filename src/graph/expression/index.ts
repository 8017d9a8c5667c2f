export { parseExpression } from './expression.ts';
export { fillFromMessage, findTemplateFault } from './message-template.ts';
export type { Filled, Message } from './message-template.ts';
export { splitIntoPieces } from './template.ts';
