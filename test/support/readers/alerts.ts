import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const Alerts = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

/** An alert rule, without the time for which its condition must hold. */
interface Alert {
  readonly alert: string;
  readonly expr: string;
}

/** Reads the alert rules that are deployed. */
export async function readAlerts(): Promise<readonly Alert[]> {
  const file = await readFile(new URL('../../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8');
  return Alerts.parse(parse(file)).groups.flatMap(({ rules }) => rules);
}
