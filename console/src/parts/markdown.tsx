import createDOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'react';
import type { JSX } from 'react';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const asText = ({ text }: { readonly text: string }): string =>
  text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);

/** Markup in a text, and what stands for a picture, are shown as they are written. */
const marked = new Marked({ gfm: true, breaks: true, renderer: { html: asText, image: asText } });
const purify = createDOMPurify(window);

/** Links of strangers open elsewhere, and learn nothing of this page. */
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noreferrer noopener nofollow');
});

const ALLOWED = {
  ALLOWED_TAGS:
    'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre strong sub sup table tbody td th thead tr ul'.split(
      ' ',
    ),
  ALLOWED_ATTR: ['href', 'align', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
};

/** Shows Markdown of models and strangers: text and links, no pictures, no markup that does something. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const html = useMemo(() => purify.sanitize(marked.parse(text, { async: false }), ALLOWED), [text]);
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
