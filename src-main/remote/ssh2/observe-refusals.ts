import type { Client } from 'ssh2';

type OnFailure = (protocol: unknown, allowed: string[] | undefined, partial: boolean) => void;

/**
 * Tells of every SSH_MSG_USERAUTH_FAILURE. ssh2 1.17.0 hands what it says to its authHandler, but
 * not after an agent's key (USERAUTH_FAILURE in its client.js): a key that was accepted as the first
 * of two factors would look refused. There is no public way to it.
 */
export function observeRefusals(
  client: Client,
  onRefusal: (allowed: readonly string[], partial: boolean) => void,
): void {
  const { _handlers: handlers } = (
    client as unknown as { _protocol: { _handlers: { USERAUTH_FAILURE: OnFailure } } }
  )._protocol;
  const original = handlers.USERAUTH_FAILURE;
  handlers.USERAUTH_FAILURE = (protocol, allowed, partial) => {
    onRefusal(allowed ?? [], partial);
    original(protocol, allowed, partial);
  };
}
