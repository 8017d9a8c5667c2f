import { useEffect, useEffectEvent } from 'react';

/** What a key does, by `KeyboardEvent.key`. */
export type Hotkeys = Readonly<Record<string, () => void>>;

const FIELDS = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]';

/**
 * Listens for single keys. Fields keep theirs, buttons and links their Enter; keys with Ctrl, Alt or Meta are the browser's, and
 * those that write a word together an input method's. While a dialog covers the page, none of them is for the page.
 */
export function useHotkeys(hotkeys: Hotkeys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const action = hotkeys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || isTakenBy(event)) return;
    event.preventDefault();
    action();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Leaves the field that a person writes in. @returns false if there is none */
export function leaveField(): boolean {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || !field.matches(FIELDS)) return false;
  field.blur();
  return true;
}

function isTakenBy(event: KeyboardEvent): boolean {
  const { key, isComposing, defaultPrevented } = event;
  // The target itself is the host where the field stands in a shadow root.
  const [target] = event.composedPath();
  if (isComposing || defaultPrevented || document.querySelector('dialog:modal') !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches(FIELDS)) return key !== 'Escape';
  return key === 'Enter' && target.matches('button, a, summary');
}
