import { abbreviate, isJsonObject, own } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

/** What a message says of a subject, and where it leads. */
interface Words {
  readonly about: (data: JsonObject) => string;
  readonly path: (data: JsonObject) => string;
}

/** By the first part of the type of an event. */
const WORDS: Readonly<Record<string, Words>> = {
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

/** A section of Slack takes 3,000 characters; escaping makes some of them five. */
const MAX_ABOUT = 500;

/**
 * Makes a message for an incoming webhook of Slack (Block Kit) from the body of an event.
 * @param linkBase what its link begins with; `null`: it has none
 */
export function toSlackMessage(body: string, linkBase: string | null): string {
  const { type, data } = readEvent(body);
  const words = own(WORDS, type.replace(/\..*$/, ''));
  const title = titleOf(type);
  const about = words ? escaped(abbreviate(words.about(data), MAX_ABOUT)) : '';
  const link = words && linkBase !== null ? `<${linkBase.replace(/\/+$/, '')}/${words.path(data)}|Open>` : '';
  const text = [title, about].filter((part) => part !== '').join(': ');
  const shown = [`*${title}*`, about, link].filter((part) => part !== '').join('\n');
  return JSON.stringify({ text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: shown } }] });
}

function readEvent(body: string): { readonly type: string; readonly data: JsonObject } {
  const event: unknown = JSON.parse(body);
  if (!isJsonObject(event) || typeof event['type'] !== 'string' || !isJsonObject(event['data']))
    throw new TypeError('The body of a webhook event has a type and data');
  return { type: event['type'], data: event['data'] };
}

/** `run.completed` becomes "Run completed". */
function titleOf(type: string): string {
  return type.charAt(0).toUpperCase() + type.slice(1).replaceAll('.', ' ');
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function pathOf(value: Json | undefined): string {
  return encodeURIComponent(textOf(value));
}

/** Slack's control characters: https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
