export { parseExpression } from './expression.ts';
export { parseSegments } from './template.ts';
