import { hideIntervention } from '../../graph/redaction/index.ts';
import { remainingBytes, toJsonObject, abbreviate, isJsonObject, own } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { StoredWebhookEvent } from '../../store/webhooks/due-deliveries.ts';
import type { ApiDeps } from '../deps.ts';
import { hiddenFrom, redactApproval } from '../redaction.ts';
import { toRunJson } from '../runs/run-json.ts';

type BodyDeps = Pick<ApiDeps, 'store' | 'fingerprints'>;

/** Receivers see what a caller without `payload:read` sees. */
const RECEIVER = { permissions: new Set<never>() };

/**
 * Builds the body of an event: its subject in the most redacted public form.
 * @returns `null` when the run was deleted or the subject is not known
 */
export async function buildBody(deps: BodyDeps, event: StoredWebhookEvent): Promise<string | null> {
  const run = event.runId === null ? null : await deps.store.runs.find(event.runId);
  const data = run && (await dataOf(deps, run, event));
  return data && bodyOf(event, data);
}

/** Wraps the data of an event in the format of Standard Webhooks. */
export function bodyOf({ type, at }: Pick<StoredWebhookEvent, 'type' | 'at'>, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: at, data: bounded(data) });
}

async function dataOf(
  { store, fingerprints }: BodyDeps,
  run: RunRecord,
  { subject, subjectId }: StoredWebhookEvent,
): Promise<JsonObject | null> {
  const hidden = hiddenFrom(RECEIVER, run);
  const content =
    subject ?? (subjectId === null ? run.view : ((await store.approvals.find(subjectId))?.approval ?? null));
  if (!content) return null;
  if ('policy' in content) return toJsonObject(redactApproval(content, hidden, fingerprints));
  if ('usage' in content) {
    const view = { ...content, startedAt: run.view?.startedAt ?? null };
    return toJsonObject(toRunJson(run, RECEIVER, { view }));
  }
  const { kind: _kind, ...intervention } = hideIntervention(content, hidden);
  return toJsonObject({ runId: run.id, ...intervention });
}

/**
 * Larger data is sent without its large members: receivers expect small messages and can request the whole resource.
 */
const MAX_DATA_BYTES = 65_536;
const MAX_MEMBER_BYTES = 1_024;

function bounded(data: JsonObject): JsonObject {
  if (remainingBytes(MAX_DATA_BYTES, data) >= 0) return data;
  const members = Object.entries(data);
  const isSmall = ([, value]: (typeof members)[number]): boolean => remainingBytes(MAX_MEMBER_BYTES, value) >= 0;
  const omitted = members.filter((member) => !isSmall(member)).map(([name]) => name);
  return { ...Object.fromEntries(members.filter(isSmall)), omitted };
}

/** The texts of a Slack message about a subject, and where it links to. */
interface SlackTexts {
  readonly about: (data: JsonObject) => string;
  readonly path: (data: JsonObject) => string;
}

/** The texts by the first part of the event type. */
const SLACK_TEXTS: Readonly<Record<string, SlackTexts>> = {
  run: {
    about: ({ id, graph }) => `${textOf(isJsonObject(graph) ? graph['name'] : null)} (${textOf(id)})`,
    path: ({ id }) => `runs/${pathOf(id)}`,
  },
  approval: { about: ({ title }) => textOf(title), path: ({ id }) => `approvals/${pathOf(id)}` },
  intervention: {
    about: ({ node, runId }) => `node ${textOf(node)} of run ${textOf(runId)}`,
    path: ({ runId }) => `runs/${pathOf(runId)}`,
  },
};

/** A section in Slack holds 3,000 characters, and escaping turns one character into up to five. */
const MAX_ABOUT = 500;

/**
 * Formats the body of an event as a message for an incoming webhook of Slack (Block Kit).
 * @param linkBase the base URL of the message's link; `null` for a message without a link
 */
export function toSlackMessage(body: string, linkBase: string | null): string {
  const { type, data } = readEvent(body);
  const words = own(SLACK_TEXTS, type.replace(/\..*$/, ''));
  const title = titleOf(type);
  const about = words ? escaped(abbreviate(words.about(data), MAX_ABOUT)) : '';
  const link = words && linkBase !== null ? `<${linkBase.replace(/\/+$/, '')}/${words.path(data)}|Open>` : '';
  const text = [title, about].filter((part) => part !== '').join(': ');
  const section = [`*${title}*`, about, link].filter((part) => part !== '').join('\n');
  return JSON.stringify({ text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: section } }] });
}

function readEvent(body: string): { readonly type: string; readonly data: JsonObject } {
  const event: unknown = JSON.parse(body);
  if (!isJsonObject(event) || typeof event['type'] !== 'string' || !isJsonObject(event['data']))
    throw new TypeError('The body of a webhook event has a type and data');
  return { type: event['type'], data: event['data'] };
}

/** Turns `run.completed` into "Run completed". */
function titleOf(type: string): string {
  return type.charAt(0).toUpperCase() + type.slice(1).replaceAll('.', ' ');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function pathOf(value: Json | undefined): string {
  return encodeURIComponent(textOf(value));
}

/** Escapes Slack's control characters: https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
