export { validateGraph } from './validate-graph.ts';
