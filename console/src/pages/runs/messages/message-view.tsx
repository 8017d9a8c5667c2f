import type { JSX } from 'react';
import { JsonView } from '../../../parts/json-view.tsx';
import { Markdown } from '../../../parts/markdown.tsx';
import { visible } from '../../../parts/texts.ts';
import type { Message } from './conversations.ts';
import './messages.css';

/** Longer texts are cut to this number of characters until the person expands them. */
const LONG = 1_500;

interface MessageViewProps {
  readonly message: Message;
  /** True: long texts are cut until the person expands them. */
  readonly isCut?: boolean;
  /** True for tool calls that are open at first; by default none is. */
  readonly isOpen?: (call: Message['toolCalls'][number]) => boolean;
}

/** A message of a conversation with its tool calls. */
export function MessageView({ message, isCut = false, isOpen }: MessageViewProps): JSX.Element {
  const { role, name, content, toolCalls } = message;
  return (
    <article className={`message ${role}`} aria-label={`${role} says`}>
      <h3 className="muted small-text">{name === null ? role : visible(`${role}: ${name}`)}</h3>
      {isCut && content.length > LONG ? (
        <details>
          <summary>
            {visible(content.slice(0, LONG / 5))}… <span className="muted">{content.length} characters, show all</span>
          </summary>
          <Content role={role} text={content} />
        </details>
      ) : (
        <Content role={role} text={content} />
      )}
      {toolCalls.map((call) => (
        <details key={call.id} open={isOpen?.(call) ?? false}>
          <summary>calls {visible(call.name)}</summary>
          <JsonView value={call.args} open={3} />
        </details>
      ))}
    </article>
  );
}

function Content({ role, text }: { readonly role: string; readonly text: string }): JSX.Element | null {
  if (text === '') return null;
  return role === 'tool' ? <pre>{visible(text)}</pre> : <Markdown text={text} />;
}
