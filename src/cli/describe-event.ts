import { z } from 'zod';

/** An event of a run's history, as far as it is told here. */
export const EventSchema = z.looseObject({
  seq: z.int(),
  type: z.string(),
  step: z.int(),
  node: z.string().optional(),
  index: z.int().optional(),
  path: z.array(z.string()).optional(),
});
export type HistoryEvent = z.output<typeof EventSchema>;

/** One line about an event; `null` for those that are of no use to somebody who waits for the run. */
export function describeEvent(event: HistoryEvent): string | null {
  if (SILENT.has(event.type)) return null;
  const { type, node, path = [], index } = event;
  const place = node === undefined ? '' : ` ${[...path, node].join('/')}${index === undefined ? '' : `[${index}]`}`;
  const detail = DETAILS.map((read) => read(event)).find((text) => text !== null) ?? null;
  return `${String(event.step).padStart(3)}  ${type}${place}${detail === null ? '' : `: ${detail}`}`;
}

const SILENT: ReadonlySet<string> = new Set(['checkpoint.saved', 'step.started', 'tool.requested']);

const ErrorOf = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });
const ApprovalOf = z.looseObject({ approval: z.looseObject({ title: z.string() }) });
const DecisionOf = z.looseObject({ status: z.string(), by: z.string() });
const ToolOf = z.looseObject({ tool: z.string() });
const ModelOf = z.looseObject({ model: z.string() });

/** The first that knows an event tells of it. */
const DETAILS: readonly ((event: HistoryEvent) => string | null)[] = [
  (event) => told(ErrorOf, event, ({ error: { code, message } }) => `${code} ${message}`),
  (event) => told(ApprovalOf, event, ({ approval }) => approval.title),
  (event) => told(DecisionOf, event, ({ status, by }) => `${status} by ${by}`),
  (event) => told(ToolOf, event, ({ tool }) => tool),
  (event) => told(ModelOf, event, ({ model }) => model),
];

function told<T>(schema: z.ZodType<T>, event: HistoryEvent, tell: (known: T) => string): string | null {
  const parsed = schema.safeParse(event);
  return parsed.success ? tell(parsed.data) : null;
}
