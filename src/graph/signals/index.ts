export { signals } from './signals.ts';
