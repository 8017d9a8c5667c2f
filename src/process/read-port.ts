/** @param name of the variable that the text stands in. @throws when it is no port */
export function readPort(name: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`${name} is no port: "${text}"`);
}
