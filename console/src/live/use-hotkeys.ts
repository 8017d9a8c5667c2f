import { useEffect, useEffectEvent } from 'react';

/** What a key does, by `KeyboardEvent.key`. */
export type Hotkeys = Readonly<Record<string, () => void>>;

/**
 * Listens for single keys. Fields keep theirs, buttons and links their Enter; keys with Ctrl, Alt or Meta are the browser's, and
 * those that write a word together an input method's.
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

function isTakenBy({ target, key, isComposing }: KeyboardEvent): boolean {
  if (isComposing) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]'))
    return key !== 'Escape';
  return key === 'Enter' && target.matches('button, a, summary');
}
