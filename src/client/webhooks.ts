import type { z } from 'zod';
import type {
  NewWebhookSchema,
  RotateSchema,
  WebhookDeliverySchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from '../api/schemas/webhook.ts';
import type { PageRequest } from './answers.ts';
import { createListing, toPath } from './listing.ts';
import type { Listing } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';
import type { HookSchema, NewHookSchema } from '../api/schemas/hook.ts';

export type Webhook = z.output<typeof WebhookSchema>;
export type WebhookWithSecret = z.output<typeof WebhookWithSecretSchema>;
export type NewWebhook = z.input<typeof NewWebhookSchema>;
export type SecretRotation = z.input<typeof RotateSchema>;
export type WebhookDelivery = z.output<typeof WebhookDeliverySchema>;

export interface DeliveryFilter extends PageRequest {
  readonly status?: WebhookDelivery['status'] | undefined;
}

/** Webhooks: URLs that receive events of the tenant. */
export interface Webhooks {
  /** Registers a webhook. Only this response and that of `rotate` include the secret. */
  add(webhook: NewWebhook, options?: CallOptions): Promise<WebhookWithSecret>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /** Lists webhooks, newest first. */
  list(filter?: PageRequest, options?: CallOptions): Listing<Webhook>;
  remove(id: string, options?: CallOptions): Promise<void>;
  /** Replaces the secret, by default with a new one. Both secrets sign for 24 hours. */
  rotate(id: string, rotation?: SecretRotation, options?: CallOptions): Promise<WebhookWithSecret>;
  /** Enables a disabled webhook again. */
  enable(id: string, options?: CallOptions): Promise<Webhook>;
  ping(id: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Lists the deliveries of the last 30 days, newest first. */
  deliveries(id: string, filter?: DeliveryFilter, options?: CallOptions): Listing<WebhookDelivery>;
  /** Sends a delivery again with the same id and body. */
  replay(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
}

export function createWebhooks({ send }: Connection): Webhooks {
  return {
    add: async (body, options) => await send.json({ method: 'POST', path: '/api/webhooks', body }, options),
    get: async (id, options) => await send.json({ method: 'GET', path: toPath`/api/webhooks/${id}` }, options),
    list: (filter, options) => createListing(send, { path: '/api/webhooks', query: { ...filter } }, options),
    remove: async (id, options) =>
      void (await send.response({ method: 'DELETE', path: toPath`/api/webhooks/${id}` }, options)),
    rotate: async (id, body = {}, options) =>
      await send.json({ method: 'POST', path: toPath`/api/webhooks/${id}/rotate`, body }, options),
    enable: async (id, options) =>
      await send.json({ method: 'POST', path: toPath`/api/webhooks/${id}/enable`, body: {} }, options),
    ping: async (id, options) =>
      await send.json({ method: 'POST', path: toPath`/api/webhooks/${id}/ping`, body: {} }, options),
    deliveries: (id, filter, options) =>
      createListing(send, { path: toPath`/api/webhooks/${id}/deliveries`, query: { ...filter } }, options),
    replay: async (id, deliveryId, options) =>
      await send.json(
        { method: 'POST', path: toPath`/api/webhooks/${id}/deliveries/${deliveryId}/replay`, body: {} },
        options,
      ),
  };
}

export type Hook = z.output<typeof HookSchema>;

export type NewHook = z.input<typeof NewHookSchema>;

/** Inbound webhooks: endpoints for signed messages of other systems. */
export interface Hooks {
  /** Stores a hook and replaces an earlier one. */
  put(id: string, hook: NewHook, options?: CallOptions): Promise<Hook>;
  get(id: string, options?: CallOptions): Promise<Hook>;
  /** Lists hooks by name. */
  list(filter?: PageRequest, options?: CallOptions): Listing<Hook>;
  remove(id: string, options?: CallOptions): Promise<void>;
}

export function createHooks({ send }: Connection): Hooks {
  return {
    put: async (id, body, options) => await send.json({ method: 'PUT', path: toPath`/api/hooks/${id}`, body }, options),
    get: async (id, options) => await send.json({ method: 'GET', path: toPath`/api/hooks/${id}` }, options),
    list: (filter, options) => createListing(send, { path: '/api/hooks', query: { ...filter } }, options),
    remove: async (id, options) =>
      void (await send.response({ method: 'DELETE', path: toPath`/api/hooks/${id}` }, options)),
  };
}
