export { signals } from './receive-signal.ts';
