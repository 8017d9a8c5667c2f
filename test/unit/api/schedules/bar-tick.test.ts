import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../../src/api/http/errors.ts';
import type { ApiErrorCode } from '../../../../src/api/http/errors.ts';
import { barTick } from '../../../../src/api/schedules/take-turn.ts';
import { toApiSettings } from '../../../../src/config/api-settings.ts';
import { parseConfig } from '../../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../../src/config/load-config.ts';
import type { Overlap, TickKind } from '../../../../src/store/schedules/schedule.ts';
import { aSchedule } from '../../../support/builders/schedules.ts';

const rolesOf = (roles: ConfigInput['roles'] = {}) => toApiSettings(parseConfig('the test', { roles }), {}).roles;
const STARTER: ConfigInput['roles'] = { starter: ['run:start'] };

describe('the roles of who has changed a schedule last', () => {
  test.each<[ConfigInput['roles'], string, readonly [Overlap, TickKind], string | undefined]>([
    [{}, 'user', ['skip', 'time'], undefined],
    [{}, 'user', ['cancelOther', 'time'], undefined],
    [{ user: ['run:read'] }, 'user', ['skip', 'trigger'], 'FORBIDDEN'],
    [{}, 'starter', ['skip', 'backfill'], 'FORBIDDEN'],
    [STARTER, 'starter', ['skip', 'time'], undefined],
    [STARTER, 'starter', ['cancelOther', 'time'], 'FORBIDDEN'],
    [STARTER, 'starter', ['cancelOther', 'trigger'], 'FORBIDDEN'],
    [STARTER, 'starter', ['cancelOther', 'backfill'], undefined],
  ])('with %j, a %s of %j comes to %s', (...row) => {
    const [roles, role, [overlap, kind], code] = row;
    const schedule = { ...aSchedule('hourly'), overlap, roles: [role] };
    expect(barTick(schedule, kind, { roles: rolesOf(roles), refusal: null })?.code).toBe(code);
  });
});

test.each<[TickKind, ApiErrorCode, string | undefined]>([
  ['time', 'QUOTA_REACHED', 'skipped'],
  ['time', 'TENANT_SUSPENDED', 'skipped'],
  ['time', 'SWITCHED_OFF', 'skipped'],
  ['trigger', 'QUOTA_REACHED', undefined],
  ['backfill', 'QUOTA_REACHED', undefined],
  ['trigger', 'TENANT_SUSPENDED', 'failed'],
  ['backfill', 'TENANT_SUSPENDED', undefined],
  ['backfill', 'SWITCHED_OFF', undefined],
])('a %s that is refused with %s is %s', (kind, code, outcome) => {
  const refusal = new ApiError(code, 'Not now');
  expect(barTick(aSchedule('hourly'), kind, { roles: rolesOf(), refusal })?.outcome).toBe(outcome);
});

test.each<[TickKind, string | undefined]>([
  ['time', 'PAUSED'],
  ['trigger', undefined],
  ['backfill', undefined],
])('a %s of a paused schedule comes to %s', (kind, code) => {
  const schedule = { ...aSchedule('hourly'), paused: true };
  expect(barTick(schedule, kind, { roles: rolesOf(), refusal: null })?.code).toBe(code);
});
