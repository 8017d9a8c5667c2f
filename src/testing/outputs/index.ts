export { playOutputs } from './play-outputs.ts';
export type { OutputsTest, TestedRun } from './play-outputs.ts';
