import { openEnvironment } from './support/environment.ts';
import { byHand, onHoldfast } from './steps/run-chain.ts';
const env = await openEnvironment();
const N = 100, R = 9;
const med = (xs: number[]) => xs.sort((a, b) => a - b)[xs.length >> 1]!;
try {
  const ours = onHoldfast(env), theirs = await byHand(env);
  const write = env.store.journal.write;
  const variants: Record<string, () => Promise<{ ms: number }>> = {
    hand: async () => await theirs('tool', N),
    ours: async () => { (env.store.journal as any).write = write; return await ours('tool', N); },
    oursNoWrite: async () => { (env.store.journal as any).write = async () => {}; return await ours('tool', N); },
  };
  const times: Record<string, number[]> = {}; const cpus: Record<string, number[]> = {};
  for (const k of Object.keys(variants)) { times[k] = []; cpus[k] = []; await variants[k]!(); }
  for (let i = 0; i < R; i++) for (const [k, v] of Object.entries(variants)) {
    const c = process.cpuUsage(); const { ms } = await v(); const d = process.cpuUsage(c);
    times[k]!.push(ms); cpus[k]!.push((d.user + d.system) / 1000);
  }
  for (const k of Object.keys(variants)) console.log(k, 'ms/step', (med(times[k]!) / N).toFixed(2), 'cpu ms/step (node)', (med(cpus[k]!) / N).toFixed(2));
} finally { await env.stop(); }
