import type { Client } from 'holdfast/client';
import { createContext, useContext } from 'react';

export const ApiContext = createContext<Client | null>(null);

/** The client of the API, `holdfast/client`, for the person who is signed in. */
export function useApi(): Client {
  const client = useContext(ApiContext);
  if (!client) throw new Error('useApi is called outside of ApiProvider');
  return client;
}
