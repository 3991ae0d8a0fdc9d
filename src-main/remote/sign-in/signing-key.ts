/** A key to sign in with. It signs when the server has said that it would take it, not before. */
export interface SigningKey {
  /** Where it comes from: `~/.ssh/id_ed25519`, `agent: me@laptop`. */
  readonly label: string;
  /** Its public part in wire format. */
  readonly blob: Buffer;
  /** `hash` for RSA alone. `undefined`: it could not sign, or a person did not let it. */
  sign(data: Buffer, hash: RsaHash | undefined): Promise<Buffer | undefined>;
}

export type RsaHash = 'sha256' | 'sha512';
