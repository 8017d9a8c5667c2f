/** Calls the tool like a hand-written step. @throws when the response is no success */
export async function callEcho(at: number): Promise<unknown> {
  const response = await fetch(process.env['ECHO_URL'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ at }),
  });
  if (!response.ok) throw new Error(`The tool answers ${response.status}`);
  return await response.json();
}
