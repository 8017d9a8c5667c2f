export const CONSOLE_EXAMPLE = {
  issuer: 'https://login.example',
  clientId: 'holdfast-console',
  scope: 'openid',
  parameters: { audience: 'holdfast' },
  claims: { tenant: 'tenant', roles: 'roles' },
  features: { localSignIn: false, forking: true },
  version: '0.1.0',
};
