import { z } from 'zod';

/** The fields of an event that are printed. */
export const EventSchema = z.looseObject({
  seq: z.int(),
  type: z.string(),
  step: z.int(),
  node: z.string().optional(),
  index: z.int().optional(),
  path: z.array(z.string()).optional(),
});
export type HistoryEvent = z.output<typeof EventSchema>;

/** Describes an event in one line; `null` for events that are only technical. */
export function describeEvent(event: HistoryEvent): string | null {
  if (SILENT.has(event.type)) return null;
  const { type, node, path = [], index } = event;
  const location = node === undefined ? '' : ` ${[...path, node].join('/')}${index === undefined ? '' : `[${index}]`}`;
  const detail = DETAILS.map((read) => read(event)).find((text) => text !== null) ?? null;
  return `${String(event.step).padStart(3)}  ${type}${location}${detail === null ? '' : `: ${detail}`}`;
}

const SILENT: ReadonlySet<string> = new Set(['checkpoint.saved', 'step.started', 'tool.requested']);

const ErrorOf = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });
const ApprovalOf = z.looseObject({ approval: z.looseObject({ title: z.string() }) });
const DecisionOf = z.looseObject({ status: z.string(), by: z.string() });
const ToolOf = z.looseObject({ tool: z.string() });
const ModelOf = z.looseObject({ model: z.string() });

/** Details of events; the first that applies is used. */
const DETAILS: readonly ((event: HistoryEvent) => string | null)[] = [
  (event) => detailOf(ErrorOf, event, ({ error: { code, message } }) => `${code} ${message}`),
  (event) => detailOf(ApprovalOf, event, ({ approval }) => approval.title),
  (event) => detailOf(DecisionOf, event, ({ status, by }) => `${status} by ${by}`),
  (event) => detailOf(ToolOf, event, ({ tool }) => tool),
  (event) => detailOf(ModelOf, event, ({ model }) => model),
];

function detailOf<T>(schema: z.ZodType<T>, event: HistoryEvent, describe: (known: T) => string): string | null {
  const parsed = schema.safeParse(event);
  return parsed.success ? describe(parsed.data) : null;
}
