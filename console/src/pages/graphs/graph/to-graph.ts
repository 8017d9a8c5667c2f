/** The way to a page of a graph. @param version the newest one by default */
export function toGraph(name: string, tab = '', version?: number): string {
  const path = ['/graphs', encodeURIComponent(name), ...(tab === '' ? [] : [tab])].join('/');
  return version === undefined ? path : `${path}?version=${version}`;
}
