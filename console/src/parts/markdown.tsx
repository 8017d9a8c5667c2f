import createDOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'react';
import type { JSX } from 'react';
import { visible } from './texts.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const asText = ({ text }: { readonly text: string }): string =>
  text.replace(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);

/** HTML and images in Markdown are shown as plain text. */
const marked = new Marked({ gfm: true, breaks: true, renderer: { html: asText, image: asText } });
const purify = createDOMPurify(window);

/** Untrusted links open in another tab, without a referrer. */
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

/** Escapes invisible characters, also those that Markdown has as entities. */
purify.addHook('afterSanitizeElements', (node) => {
  if (node.nodeType === Node.TEXT_NODE) node.textContent = visible(node.textContent ?? '');
});

/**
 * Shows untrusted Markdown: text and links, without images and active content. If parts of the text are left out, the person
 * can open the source.
 */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const { html, isWhole } = useMemo(() => draw(text), [text]);
  return (
    <>
      <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />
      {!isWhole && (
        <details className="markdown-source">
          <summary>As it was written</summary>
          <pre>{visible(text)}</pre>
        </details>
      )}
    </>
  );
}

function draw(text: string): { readonly html: string; readonly isWhole: boolean } {
  const box = document.createElement('div');
  box.append(purify.sanitize(marked.parse(text, { async: false }), { ...ALLOWED, RETURN_DOM_FRAGMENT: true }));
  return { html: box.innerHTML, isWhole: withoutSpace(box.textContent ?? '') === withoutSpace(visible(text)) };
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '');
