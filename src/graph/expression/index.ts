export { parseExpression } from './expression.ts';
export { fillFromMessage, findTemplateFault, splitIntoPieces } from './template.ts';
export type { FilledTemplate, HookMessage } from './template.ts';
