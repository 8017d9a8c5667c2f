import { abbreviate, isJsonObject, own } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import type { Webhook } from '../../store/webhooks/webhooks.ts';

/** How the messages of a webhook look. */
interface WebhookFormat {
  /** Why messages have no signature; `null` when they are signed. */
  readonly unsignedBecause: string | null;
  /**
   * Formats the stored body of an event.
   * @param linkBase the base URL of the message's link; `null` for a message without a link
   */
  readonly toMessage: (body: string, linkBase: string | null) => string;
  /** Returns the part of a webhook's URL that is no secret. */
  readonly toPublicUrl: (url: string) => string;
}

export const WEBHOOK_FORMATS: Readonly<Record<Webhook['format'], WebhookFormat>> = {
  standard: { unsignedBecause: null, toMessage: (body) => body, toPublicUrl: (url) => url },
  slack: {
    unsignedBecause: 'Messages for Slack have no signature',
    toMessage: toSlackMessage,
    // The path is a secret: anyone who knows it can post messages.
    toPublicUrl: (url) => `${new URL(url).origin}/[hidden]`,
  },
};

/**
 * Formats the body of an event as a message for an incoming webhook of Slack (Block Kit).
 * @param linkBase the base URL of the message's link; `null` for a message without a link
 */
export function toSlackMessage(body: string, linkBase: string | null): string {
  const { type, data } = parseEventBody(body);
  const words = own(SLACK_TEXTS, type.replace(/\..*$/, ''));
  const title = titleOfEventType(type);
  const about = words ? escapeForSlack(abbreviate(words.about(data), MAX_ABOUT)) : '';
  const link = words && linkBase !== null ? `<${linkBase.replace(/\/+$/, '')}/${words.path(data)}|Open>` : '';
  const text = [title, about].filter((part) => part !== '').join(': ');
  const section = [`*${title}*`, about, link].filter((part) => part !== '').join('\n');
  return JSON.stringify({ text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: section } }] });
}

function parseEventBody(body: string): { readonly type: string; readonly data: JsonObject } {
  const event: unknown = JSON.parse(body);
  if (!isJsonObject(event) || typeof event['type'] !== 'string' || !isJsonObject(event['data']))
    throw new TypeError('The body of a webhook event has a type and data');
  return { type: event['type'], data: event['data'] };
}

/** Turns `run.completed` into "Run completed". */
function titleOfEventType(type: string): string {
  return type.charAt(0).toUpperCase() + type.slice(1).replaceAll('.', ' ');
}

function textOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function toPathSegment(value: Json | undefined): string {
  return encodeURIComponent(textOrEmpty(value));
}

/** Escapes Slack's control characters: https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The texts of a Slack message about a subject, and where it links to. */
interface SlackTexts {
  readonly about: (data: JsonObject) => string;
  readonly path: (data: JsonObject) => string;
}

/** The texts by the first part of the event type. */
const SLACK_TEXTS: Readonly<Record<string, SlackTexts>> = {
  run: {
    about: ({ id, graph }) => `${textOrEmpty(isJsonObject(graph) ? graph['name'] : null)} (${textOrEmpty(id)})`,
    path: ({ id }) => `runs/${toPathSegment(id)}`,
  },
  approval: { about: ({ title }) => textOrEmpty(title), path: ({ id }) => `approvals/${toPathSegment(id)}` },
  intervention: {
    about: ({ node, runId }) => `node ${textOrEmpty(node)} of run ${textOrEmpty(runId)}`,
    path: ({ runId }) => `runs/${toPathSegment(runId)}`,
  },
};

/** A section in Slack holds 3,000 characters, and escaping turns one character into up to five. */
const MAX_ABOUT = 500;
