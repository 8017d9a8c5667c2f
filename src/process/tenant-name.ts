/** The name of a tenant, which is part of workflow ids. */
export const TENANT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;
