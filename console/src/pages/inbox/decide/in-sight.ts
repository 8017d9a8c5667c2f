/** So much of a thing has to be seen, in pixels. */
const ENOUGH = 24;

/** True if a person sees an element, or the beginning of it where it is taller than the window. */
export function isInSight(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  const { top, bottom, left, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return false;
  const low = Math.max(top, 0);
  const enough = Math.min(ENOUGH, height);
  const places = [low + enough / 2, Math.min(bottom, low + enough) - 1];
  // What another thing covers, such as a head that stays at the top, is not seen.
  return places.every((y) => {
    const found = document.elementFromPoint(Math.max(left, 0) + Math.min(width, innerWidth) / 2, y);
    return found !== null && (element.contains(found) || found.contains(element));
  });
}

/** Moves what scrolls around an element to its beginning: its pane, or the page on a small screen. */
export function showBeginning(pane: HTMLElement | null): void {
  pane?.scrollTo({ top: 0 });
  if (pane && pane.getBoundingClientRect().top < 0) pane.scrollIntoView({ block: 'start' });
}
