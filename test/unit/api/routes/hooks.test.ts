import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentHash } from '../../../../src/api/http/fingerprints.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { SIGN } from '../../../support/builders/signed-messages.ts';
import type { SignedMessage } from '../../../support/builders/signed-messages.ts';
import { textAt } from '../../../support/readers/json-at.ts';
import { aProblem, issuePathsOf } from '../../../support/readers/problems.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const BODY = JSON.stringify({ id: 'evt_1', issue: { number: 7 } });
const RUN_ID = '01M800DSH4JRWTXR3ARZ68NEG3';
const TRIAGE = { start: { graph: 'triage', input: { number: '{{ body.issue.number }}' } } };

let api: TestApi;
beforeAll(async () => {
  const secrets = async (name: string): Promise<string> => {
    if (name === 'GITHUB_KEY') return SECRET;
    throw new Error('The vault has no such secret');
  };
  api = await startTestApi({ secrets });
  for (const caller of ['user', 'otherTenantUser'] as const)
    await api.as(caller).post('/api/graphs', aDefinition({ name: 'triage', channels: { number: {}, log: {} } }));
});
afterAll(async () => {
  await api.stop();
});

type Caller = 'user' | 'approver' | 'otherTenantUser';

const put = async (id: string, over: object = {}, caller: Caller = 'user') =>
  await api.as(caller).send(`/api/hooks/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ scheme: 'github', secret: SECRET, ...TRIAGE, ...over }),
  });
const post = async (address: string, { headers, body }: SignedMessage) =>
  await api.stranger.send(`/api/hooks/${address}`, { method: 'POST', headers, body });
let count = 0;
const github = (body = BODY, id = `delivery-${(count += 1)}`) => SIGN.github(body, { secret: SECRET, id });
const runsOf = async (hook: string) => {
  const { body } = await api.as('user').get(`/api/runs?metadata=hook:${hook}`);
  return body;
};

describe('a hook', () => {
  test('an inbound hook is created, read, listed and removed, and its stored secret is never returned', async () => {
    const added = await put('issues');
    const shown = {
      id: 'issues',
      path: '/api/hooks/demo.issues',
      scheme: 'github',
      secret: null,
      ...TRIAGE,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      by: expect.any(String),
    };
    expect([added.status, added.body]).toEqual([201, shown]);
    const changed = await put('issues', { secret: { secret: 'GITHUB_KEY' } });
    expect([changed.status, changed.body]).toEqual([200, { ...shown, secret: { secret: 'GITHUB_KEY' } }]);
    expect((await api.as('user').get('/api/hooks/issues')).body).toEqual(changed.body);
    expect((await api.as('user').get('/api/hooks')).body).toEqual({ items: [changed.body], nextCursor: null });
    const remove = async () => await api.as('user').send('/api/hooks/issues', { method: 'DELETE' });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    expect(await api.as('user').get('/api/hooks/issues')).toMatchObject(aProblem(404, 'NOT_FOUND'));
  });

  test('an inbound hook belongs to its tenant only', async () => {
    await put('mine');
    expect(await api.as('otherTenantUser').get('/api/hooks/mine')).toMatchObject(aProblem(404, 'NOT_FOUND'));
    expect((await api.as('otherTenantUser').get('/api/hooks')).body).toEqual({ items: [], nextCursor: null });
    await api.as('otherTenantUser').send('/api/hooks/mine', { method: 'DELETE' });
    expect(await api.as('user').get('/api/hooks/mine')).toMatchObject({ status: 200 });
    expect(await put('mine', {}, 'approver')).toMatchObject(aProblem(403, 'FORBIDDEN'));
  });

  test.each([
    ['without an action', { start: undefined }, ['']],
    ['with two actions', { event: { run: 'r', name: 'e' } }, ['']],
    ['of an unknown scheme', { scheme: 'gitlab' }, ['/scheme']],
    ['with a short secret', { secret: 'short' }, ['/secret']],
    ['with a secret that is no base64', { scheme: 'standard', secret: 'no base64!' }, ['/secret']],
    ['with an unknown field', { color: 'red' }, ['/color']],
    [
      'with an invalid input template',
      { start: { graph: 'g', input: { a: ['{{ state.x }}'] } } },
      ['/start/input/a/0'],
    ],
    ['with an invalid run template', { start: undefined, event: { run: '{{ body.', name: 'e' } }, ['/event/run']],
  ])('an inbound hook is refused %s', async (_what, over, paths) => {
    const answer = await put('faulty', over);
    expect(answer).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(issuePathsOf(answer)).toEqual(paths);
  });

  test('the name of an inbound hook must fit into its URL', async () => {
    expect(await put('a.b')).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
  });

  test('a tenant has at most a hundred inbound hooks', async () => {
    const all = Array.from({ length: 101 }, (_, index) => `many-${index}`);
    const statuses = [];
    for (const name of all) statuses.push((await put(name, {}, 'otherTenantUser')).status);
    expect([statuses.at(99), statuses.at(100)]).toEqual([201, 409]);
    expect(await put('many-1', {}, 'otherTenantUser')).toMatchObject({ status: 200 });
    for (const name of all) await api.as('otherTenantUser').send(`/api/hooks/${name}`, { method: 'DELETE' });
  });
});

describe('a message for a hook', () => {
  test.each(['standard', 'github', 'stripe', 'slack'] as const)(
    'an inbound webhook message of %s starts one run',
    async (scheme) => {
      await put(`once-${scheme}`, { scheme });
      const body = JSON.stringify({ id: 'evt_2', event_id: 'Ev2', issue: { number: 7 } });
      const send = async () => await post(`demo.once-${scheme}`, SIGN[scheme](body, { secret: SECRET, id: 'msg_1' }));
      const first = await send();
      const runId = textAt(first.body, '/runId');
      expect(first).toMatchObject({ status: 202, body: { runId } });
      expect(await send()).toMatchObject({ status: 200, body: { runId } });
      expect(await runsOf(`once-${scheme}`)).toMatchObject({
        items: [{ id: runId, input: { number: 7 } }],
        nextCursor: null,
      });
    },
  );

  test('an inbound webhook message that is received many times at once starts one run', async () => {
    await put('crowd');
    const message = github();
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await post('demo.crowd', message)));
    expect(answers.filter(({ status }) => ![200, 202, 409].includes(status))).toEqual([]);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(await runsOf('crowd')).toMatchObject({ items: [{ input: { number: 7 } }], nextCursor: null });
  });

  test('an inbound webhook message is taken over with the same run when the process that handled it has died', async () => {
    await put('crash');
    const at = { hook: { tenantId: 'demo', name: 'crash' }, message: contentHash('crashed') };
    const message = github(BODY, 'crashed');
    await api.store.hookMessages.claim(at, RUN_ID);
    expect(await post('demo.crash', message)).toMatchObject(aProblem(409, 'REQUEST_IN_PROGRESS'));
    await api.store.hookMessages.release(at);
    expect(await post('demo.crash', message)).toMatchObject({ status: 202, body: { runId: RUN_ID } });
    await put('crash', { secret: { secret: 'GITHUB_KEY' } });
    expect(await post('demo.crash', message)).toMatchObject({ status: 200, body: { runId: RUN_ID } });
  });

  test('a hook answers equally to a wrong signature, an unknown hook and an unavailable secret', async () => {
    await put('real');
    await put('away', { secret: { secret: 'NOT_THERE' } });
    const wrong = SIGN.github(BODY, { secret: 'another secret', id: '1' });
    const answers = [
      await post('demo.real', wrong),
      await post('demo.real', { ...wrong, headers: { 'content-type': 'application/json' } }),
      await post('demo.none', github()),
      await post('none', github()),
      await post('nobody.real', github()),
      await post('demo.away', github()),
    ];
    const details = answers.map((answer) => {
      expect(answer).toMatchObject(aProblem(401, 'UNAUTHENTICATED'));
      return textAt(answer.body, '/detail');
    });
    expect(new Set(details)).toEqual(new Set(['The signature is not accepted']));
  });

  test('a message to a hook URL with a name but no id is for the oldest hook whose secret matches', async () => {
    const isMine = async (address: string): Promise<boolean> => {
      const { status, body } = await post(address, github());
      expect(status).toBe(202);
      return (await api.as('user').get(`/api/runs/${textAt(body, '/runId')}`)).status === 200;
    };
    await put('shared', { secret: 'of another tenant' }, 'otherTenantUser');
    await put('shared');
    expect(await isMine('shared')).toBe(true);
    await api.as('otherTenantUser').send('/api/hooks/shared', { method: 'DELETE' });
    await put('shared', {}, 'otherTenantUser');
    expect([await isMine('shared'), await isMine('demo.shared'), await isMine('other.shared')]).toEqual([
      true,
      true,
      false,
    ]);
    await put('shared', { scheme: 'stripe' });
    await put('shared');
    expect(await isMine('shared')).toBe(true);
  });

  test('a hook URL with a name but no id is looked up among the oldest hooks with that name', async () => {
    const hook = { scheme: 'github', action: TRIAGE, redacted: [], by: { sub: 'uma', roles: ['user'] } } as const;
    const store = async (tenantId: string) =>
      await api.store.hooks.put({ ...hook, tenantId, name: 'crowded', secret: { value: 'of this tenant' } }, 100);
    await put('crowded');
    for (const index of Array.from({ length: 20 }, (_, at) => at)) await store(`a-${index}`);
    expect(await post('crowded', github())).toMatchObject({ status: 202 });
  });

  test('the secret of an inbound hook is resolved by its name', async () => {
    await put('named', { secret: { secret: 'GITHUB_KEY' } });
    expect(await post('demo.named', github())).toMatchObject({ status: 202 });
  });

  test('a webhook message that only verifies the endpoint has no effect', async () => {
    await put('ping');
    await put('greeting', { scheme: 'slack' });
    const ping = github('{}');
    const pinged = await post('demo.ping', { ...ping, headers: { ...ping.headers, 'x-github-event': 'ping' } });
    expect(pinged).toMatchObject({ status: 200, body: { ok: true } });
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c-1' });
    const greeted = await post('demo.greeting', SIGN.slack(body, { secret: SECRET, id: '' }));
    expect(greeted).toMatchObject({ status: 200, body: { challenge: 'c-1' } });
    expect(await post('demo.greeting', SIGN.slack(body, { secret: 'another one', id: '' }))).toMatchObject({
      status: 401,
    });
    expect(await runsOf('greeting')).toMatchObject({ items: [] });
  });

  test('an inbound webhook message of Slack may be a form', async () => {
    const input = { number: '{{ body.command + body.payload.user }}' };
    await put('form', { scheme: 'slack', start: { graph: 'triage', input } });
    await put('no-form', { scheme: 'stripe' });
    const body = new URLSearchParams({ command: '/ask', payload: '{"user":"U1"}' }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const asForm = ({ headers }: SignedMessage) => ({ headers: { ...headers, ...form }, body });
    expect(await post('demo.form', asForm(SIGN.slack(body, { secret: SECRET, id: '' })))).toMatchObject({
      status: 202,
    });
    expect(await runsOf('form')).toMatchObject({ items: [{ input: { number: '/askU1' } }] });
    const refused = await post('demo.no-form', asForm(SIGN.stripe(body, { secret: SECRET, id: '' })));
    expect(refused).toMatchObject(aProblem(415, 'UNSUPPORTED_MEDIA_TYPE'));
  });

  describe('a form of GitHub', () => {
    const FORM = 'application/x-www-form-urlencoded';
    const form = (body: string, type = FORM, id?: string) => {
      const message = github(body, id);
      return { ...message, headers: { ...message.headers, 'content-type': type } };
    };
    const payloadOf = (json: string): string => new URLSearchParams({ payload: json }).toString();

    test.each([
      ['without a parameter', FORM],
      ['with a charset', `${FORM}; charset=utf-8`],
      ['with a quoted charset in upper case', `Application/X-WWW-Form-Urlencoded;charset="UTF-8"`],
    ])('the payload of a GitHub form is the body of the message, %s', async (what, type) => {
      const name = `form-${what.length}`;
      await put(name);
      expect(await post(`demo.${name}`, form(payloadOf('{"issue":{"number":"ü+&%"}}'), type))).toMatchObject({
        status: 202,
      });
      expect(await runsOf(name)).toMatchObject({ items: [{ input: { number: 'ü+&%' } }], nextCursor: null });
    });

    test('the signature of a GitHub form covers the raw body, and a second delivery with the same id starts no run', async () => {
      await put('form-once');
      const message = form(payloadOf(BODY), FORM, 'form-1');
      expect(await post('demo.form-once', { ...message, body: `${message.body}&` })).toMatchObject({ status: 401 });
      expect(await post('demo.form-once', message)).toMatchObject({ status: 202 });
      expect(await post('demo.form-once', message)).toMatchObject({ status: 200 });
      expect(await post('demo.form-once', github(BODY, 'form-1'))).toMatchObject({ status: 200 });
      expect(await runsOf('form-once')).toMatchObject({ items: [{ input: { number: 7 } }], nextCursor: null });
    });

    test('a ping of GitHub in a form has no effect', async () => {
      await put('form-ping');
      const ping = form(payloadOf('{"zen":"x"}'));
      const pinged = await post('demo.form-ping', { ...ping, headers: { ...ping.headers, 'x-github-event': 'ping' } });
      expect(pinged).toMatchObject({ status: 200, body: { ok: true } });
    });

    const faulty = (status: number, code: string, detail: RegExp) => ({ status, code, detail });
    const invalid = faulty(422, 'INVALID_REQUEST', /"payload"/);
    const unsupported = faulty(415, 'UNSUPPORTED_MEDIA_TYPE', /x-www-form-urlencoded/);
    test.each([
      ['without a payload', form('issue=7'), invalid],
      ['that is empty', form(''), invalid],
      ['with two payloads', form('payload=%7B%7D&payload=%7B%7D'), invalid],
      ['whose payload is no JSON', form('payload=nothing'), faulty(400, 'MALFORMED_JSON', /"payload"/)],
      ['in another charset', form(payloadOf(BODY), `${FORM}; charset=latin1`), unsupported],
      ['in parts', form(payloadOf(BODY), 'multipart/form-data; boundary=x'), unsupported],
      ['that is too large', form(payloadOf(`"${'x'.repeat(1_048_576)}"`)), faulty(413, 'BODY_TOO_LARGE', /1048576/)],
    ])('a GitHub form %s is refused', async (_what, message, { status, code, detail }) => {
      await put('form-faulty');
      const answer = await post('demo.form-faulty', message);
      expect(answer).toMatchObject(aProblem(status, code));
      expect(textAt(answer.body, '/detail')).toMatch(detail);
    });

    test('a GitHub form with a content encoding is refused', async () => {
      await put('form-coded');
      const message = form(payloadOf(BODY));
      const coded = await post('demo.form-coded', {
        ...message,
        headers: { ...message.headers, 'content-encoding': 'gzip' },
      });
      expect(coded).toMatchObject(aProblem(415, 'UNSUPPORTED_MEDIA_TYPE'));
    });
  });

  test('a message of Svix starts one run, also when it comes under both names of its headers', async () => {
    await put('svix', { scheme: 'standard', start: { graph: 'triage', input: { number: '{{ headers }}' } } });
    const signing = { secret: SECRET, id: 'msg_svix', at: new Date() };
    const message = SIGN.svix(BODY, signing);
    const both = { ...message, headers: { ...message.headers, ...SIGN.standard(BODY, signing).headers } };
    expect(await post('demo.svix', message)).toMatchObject({ status: 202 });
    expect(await post('demo.svix', both)).toMatchObject({ status: 200 });
    const runs = await runsOf('svix');
    expect(runs).toMatchObject({ items: [{ input: { number: { 'svix-id': 'msg_svix' } } }], nextCursor: null });
    expect(JSON.stringify(runs)).not.toContain('v1,');
  });

  test('a run that a hook starts receives the headers of the message without credentials', async () => {
    await put('headers', { start: { graph: 'triage', input: { number: '{{ headers }}' } } });
    const message = github();
    await post('demo.headers', { ...message, headers: { ...message.headers, authorization: 'Bearer canary-1' } });
    const runs = await runsOf('headers');
    expect(runs).toMatchObject({ items: [{ input: { number: { 'x-github-event': 'issues' } } }] });
    expect(JSON.stringify(runs)).not.toMatch(/canary-1|sha256=/);
  });

  test('an inbound webhook message that failed is processed again when it is received again', async () => {
    await put('later', { start: { graph: 'not-yet', input: {} } });
    const message = github();
    expect(await post('demo.later', message)).toMatchObject(aProblem(404, 'UNKNOWN_GRAPH'));
    await api.as('user').post('/api/graphs', aDefinition({ name: 'not-yet' }));
    expect(await post('demo.later', message)).toMatchObject({ status: 202 });
  });

  test('an inbound webhook message that does not fill the graph’s input is refused', async () => {
    await put('lacking');
    expect(await post('demo.lacking', github('{"no":"issue"}'))).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
    expect(await post('demo.lacking', github('no json'))).toMatchObject(aProblem(400, 'MALFORMED_JSON'));
    expect(await post('demo.lacking', github(`"${'x'.repeat(1_048_576)}"`))).toMatchObject(
      aProblem(413, 'BODY_TOO_LARGE'),
    );
  });

  test('an inbound webhook message reaches no run of another tenant', async () => {
    const { body } = await api.as('otherTenantUser').post('/api/runs', { graph: 'triage', input: { number: 1 } });
    await put('foreign', { start: undefined, event: { run: '{{ body.run }}', name: 'paid' } });
    const asked = await post('demo.foreign', github(JSON.stringify({ run: textAt(body, '/id') })));
    expect(asked).toMatchObject(aProblem(404, 'UNKNOWN_RUN'));
    expect(await post('demo.foreign', github('{"run":7}'))).toMatchObject(aProblem(422, 'INVALID_REQUEST'));
  });
});
