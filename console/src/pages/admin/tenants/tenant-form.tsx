import type { Tenant } from 'holdfast/client';
import { useState } from 'react';
import type { JSX } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { RequestForm } from '../../../form/request-form.tsx';
import { useForm } from '../../../form/use-form.ts';
import { SAYINGS, missingOf, neededFields, readTerms, toTermsForm } from './terms-draft.ts';
import { toTenant } from './to-tenant.ts';

const SCHEMA = {
  type: 'object',
  required: ['runs', 'cost'],
  properties: {
    runs: { title: 'New runs a minute', oneOf: SAYINGS },
    runsPerMinute: { type: 'integer', title: 'So many new runs a minute', minimum: 0 },
    cost: { title: 'Cost a day', oneOf: SAYINGS },
    costUsdPerDay: {
      type: 'number',
      title: 'So many US dollars a day',
      minimum: 0,
      description: 'What runs that begin on a day (UTC) may cost',
    },
    suspended: {
      type: 'boolean',
      title: 'Suspended',
      description: 'It starts no runs. Those that have begun go on, and are decided and read as before.',
    },
    reason: { type: 'string', title: 'Why it is suspended', description: 'Is told to whoever starts a run' },
  },
};

/** The fields that are hidden while they count for nothing. */
const PERHAPS: ReadonlySet<string> = new Set(['runsPerMinute', 'costUsdPerDay', 'reason']);

/** Says what a tenant may use up, in place of what was said before. */
export function TenantForm({ tenant }: { readonly tenant: Tenant }): JSX.Element {
  const client = useApi();
  const [initial] = useState(() => toTermsForm(tenant));
  const form = useForm(SCHEMA, initial);
  const terms = readTerms(form.value);
  const needed = neededFields(form.value);
  const shown = {
    ...form,
    fields: form.fields?.filter(({ name }) => !PERHAPS.has(name) || needed.includes(name)) ?? null,
    problems: { ...missingOf(form.value, needed), ...form.problems },
  };
  return (
    <section className="card narrow" aria-label="Say what it may use up">
      <RequestForm
        form={shown}
        legend={`Say what ${tenant.id} may use up`}
        submit="Save"
        request={{ method: 'PUT', path: toTenant(tenant.id), body: terms }}
        send={async (options) => await client.admin.setTenant(tenant.id, terms, options)}
        stale={[KEYS.admin]}
      />
    </section>
  );
}
