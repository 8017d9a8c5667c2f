import { parseArgs } from 'node:util';
import { playHostile } from './play-hostile.ts';

/* `npm run hostile`: prints the attacks that it sends, and in the end the state of the engine. */

const HELP = `npm run hostile -- [--attacks N] [--seed N]

Sends definitions, inputs, replies of tools and models, and signals that ask for much or are odd, to an API and a worker
with heaps of 1 GiB. After each, a run of another tenant must end within a second, no process may have ended, no answer
may be 5xx, and what was started must end or be canceled.

  --attacks N   how many are sent (300)
  --seed N      chooses them (1)

The last line is "N passed, N failed". The exit code is 0 if nothing has failed, 1 if something has.
`;

const { values } = parseArgs({
  options: {
    attacks: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  let sent = 0;
  const report = await playHostile({
    attacks: Number(values.attacks),
    seed: Number(values.seed),
    onAttack(attack, { statuses, otherMs, findings }) {
      sent += 1;
      say(`${sent} ${attack.kind}: ${statuses.join(', ')}; another's run ${otherMs} ms`);
      for (const finding of findings) say(`   ${finding}\n   ${JSON.stringify(attack).slice(0, 1_000)}`);
    },
  });
  const slowest = Math.max(...report.outcomes.map(({ otherMs }) => otherMs));
  say(`The slowest run of another tenant took ${slowest} ms`);
  for (const [name, { early, late }] of Object.entries(report.memory))
    say(`The ${name}: ${early} MiB, then ${late} MiB`);
  for (const finding of report.findings) say(finding);
  const failed = report.outcomes.filter(({ findings }) => findings.length > 0).length;
  say(`${report.outcomes.length - failed} passed, ${failed} failed`);
  return report.findings.length > 0 ? 1 : 0;
}

if (values.help) process.stdout.write(HELP);
else process.exitCode = await main();
