import { openEnvironment } from './support/environment.ts';
import { byHand, onHoldfast } from './steps/run-chain.ts';
const env = await openEnvironment();
try {
  const ours = process.argv[2] === 'hand' ? await byHand(env) : onHoldfast(env);
  await ours('tool', 100);
  await new Promise((r) => setTimeout(r, 1500));
} finally { await env.stop(); }
