import type { Webhook, WebhookWithSecret } from 'holdfast/client';
import type { JSX } from 'react';
import { useLocation } from 'wouter';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { ActionButton } from '../../../parts/action-button.tsx';
import { toWebhook } from '../parts/to-webhook.ts';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: WebhookWithSecret) => void;
}

/** What can be done with a webhook. */
export function WebhookActions({ webhook: { id, disabled, format }, onRotated }: WebhookActionsProps): JSX.Element {
  const { webhooks } = useApi();
  const [, navigate] = useLocation();
  const path = `/api${toWebhook(id)}`;
  const stale = [KEYS.webhooks];
  return (
    <div className="row">
      {disabled && (
        <ActionButton
          label="Tell it again"
          look="primary"
          request={{ method: 'POST', path: `${path}/enable`, body: {} }}
          send={async (options) => await webhooks.enable(id, options)}
          stale={stale}
        />
      )}
      <ActionButton
        label="Ping"
        request={{ method: 'POST', path: `${path}/ping`, body: {} }}
        send={async (options) => await webhooks.ping(id, options)}
        stale={stale}
      />
      {format === 'standard' && (
        <ActionButton
          label="New secret"
          warning="The secret of now signs for 24 hours more, beside the new one."
          request={{ method: 'POST', path: `${path}/rotate`, body: {} }}
          send={async (options) => await webhooks.rotate(id, {}, options)}
          stale={stale}
          onDone={onRotated}
        />
      )}
      <ActionButton
        label="Remove"
        look="danger"
        warning="The webhook goes for good, and its deliveries with it."
        request={{ method: 'DELETE', path }}
        send={async (options) => await webhooks.remove(id, options)}
        stale={[[...KEYS.webhooks, 'list']]}
        onDone={() => navigate('/webhooks')}
      />
    </div>
  );
}
