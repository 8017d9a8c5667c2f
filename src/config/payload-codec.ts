/** A value as Temporal stores it. */
export interface EncodedPayload {
  metadata?: Record<string, Uint8Array> | null;
  data?: Uint8Array | null;
}

/** Changes what Temporal stores, such as one that encrypts: Temporal's own interface `PayloadCodec`. */
export interface PayloadCodec {
  encode(payloads: EncodedPayload[]): Promise<EncodedPayload[]>;
  decode(payloads: EncodedPayload[]): Promise<EncodedPayload[]>;
}
