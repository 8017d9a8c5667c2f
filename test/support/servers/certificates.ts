import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Paths of PEM files: an authority, and the certificates that it signed. */
export interface Certificates {
  readonly authority: string;
  readonly server: KeyPair;
  readonly client: KeyPair;
}

interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Creates certificates for a server on this machine and for its client. @param folder an empty existing folder */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const openssl = async (...args: readonly string[]): Promise<unknown> =>
    await run('openssl', [...args], { cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  await openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority');
  await writeFile(join(folder, 'names'), 'basicConstraints=CA:FALSE\nsubjectAltName=IP:127.0.0.1,DNS:localhost\n');
  for (const name of ['server', 'client']) {
    await openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '1', '-extfile', 'names'];
    await openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signing);
  }
  const pairOf = (name: string): KeyPair => ({
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
  });
  return { authority: join(folder, 'ca.pem'), server: pairOf('server'), client: pairOf('client') };
}

/** The options of a TLS server that accepts only the client certificate. */
export async function tlsOptions({ authority, server }: Certificates) {
  const [ca, cert, key] = await Promise.all([authority, server.certificate, server.key].map((file) => readFile(file)));
  return { ca, cert, key, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2'] };
}
