/** @param name the environment variable that holds the text @throws when the text is not a port */
export function readPort(name: string, text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`${name} is no port: "${text}"`);
}
