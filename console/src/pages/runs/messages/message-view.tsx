import type { JSX } from 'react';
import { JsonView } from '../../../parts/json-view.tsx';
import { Markdown } from '../../../parts/markdown.tsx';
import { visible } from '../../../parts/visible.ts';
import type { ShownMessage } from './conversations-of.ts';
import './messages.css';

interface MessageViewProps {
  readonly message: ShownMessage;
  /** If its calls stand open. */
  readonly open?: boolean;
}

/** A message of a conversation, with the calls that a model asks for in it. */
export function MessageView({ message, open = false }: MessageViewProps): JSX.Element {
  const { role, name, content, toolCalls } = message;
  return (
    <article className={`message ${role}`} aria-label={`${role} says`}>
      <h3 className="muted small-text">{name === null ? role : visible(`${role}: ${name}`)}</h3>
      {content !== '' && (role === 'tool' ? <pre>{visible(content)}</pre> : <Markdown text={content} />)}
      {toolCalls.map((call) => (
        <details key={call.id} open={open}>
          <summary>calls {visible(call.name)}</summary>
          <JsonView value={call.args} open={3} />
        </details>
      ))}
    </article>
  );
}
