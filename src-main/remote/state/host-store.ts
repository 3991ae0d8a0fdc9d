import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { type HostTarget, hostTarget, type KnownHost } from '../../shared/remote/host-target.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { readState, type StateError, writeState } from './state-file.ts';

const savedHost = z.strictObject({
  id: z.uuid(),
  label: z.string().min(1).max(120),
  target: hostTarget,
  lastConnected: z.string().optional(),
});
const savedHosts = z.strictObject({
  v: z.literal(1),
  hosts: z.array(savedHost).max(10_000),
  /** When hosts of the SSH configuration were connected to last, by alias. */
  configured: z.record(z.string(), z.string()),
});
type SavedHosts = z.infer<typeof savedHosts>;

/** Hosts the user saved, and when hosts were last connected to: `hosts.json`. No secrets. */
export interface HostStore {
  list(): Promise<readonly KnownHost[]>;
  /** ISO 8601, by alias of the SSH configuration. */
  lastConnected(): Promise<Readonly<Record<string, string>>>;
  save(host: {
    readonly id?: string | undefined;
    readonly label: string;
    readonly target: HostTarget;
  }): Promise<Result<KnownHost, StateError | 'not-found'>>;
  forget(id: string): Promise<Result<null, StateError | 'not-found'>>;
  /** Best effort: a date that can't be kept is not worth a failure. */
  noteConnected(target: HostTarget, when: Date): Promise<void>;
}

export function openHostStore(folder: string): HostStore {
  const path = join(folder, 'hosts.json');
  // One change at a time, or the later one would undo the earlier.
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<SavedHosts> {
    return (await readState(path, savedHosts)) ?? { v: 1, hosts: [], configured: {} };
  }

  function change<T, Code extends string>(
    by: (hosts: SavedHosts) => Result<{ readonly hosts: SavedHosts; readonly value: T }, Code>,
  ): Promise<Result<T, Code | StateError>> {
    const done = last.then(async (): Promise<Result<T, Code | StateError>> => {
      const changed = by(await read());
      if (!changed.ok) return changed;
      const written = await writeState(path, changed.value.hosts);
      return written.ok ? ok(changed.value.value) : written;
    });
    last = done;
    return done;
  }

  return {
    list: async () => (await read()).hosts.map(asKnownHost),
    lastConnected: async () => (await read()).configured,
    save: ({ id, label, target }) =>
      change((all) => {
        const old = all.hosts.find((host) => host.id === id);
        if (id !== undefined && old === undefined) return noSuchHost();
        const host = { ...old, id: id ?? randomUUID(), label, target };
        const hosts =
          old === undefined
            ? [...all.hosts, host]
            : all.hosts.map((each) => (each === old ? host : each));
        return ok({ hosts: { ...all, hosts }, value: asKnownHost(host) });
      }),
    forget: (id) =>
      change((all) => {
        const hosts = all.hosts.filter((host) => host.id !== id);
        if (hosts.length === all.hosts.length) return noSuchHost();
        return ok({ hosts: { ...all, hosts }, value: null });
      }),
    async noteConnected(target, when) {
      const text = JSON.stringify(target);
      await change((all) => {
        const isSaved = all.hosts.some((host) => JSON.stringify(host.target) === text);
        const hosts = all.hosts.map((host) =>
          JSON.stringify(host.target) === text
            ? { ...host, lastConnected: when.toISOString() }
            : host,
        );
        const configured = isSaved
          ? all.configured
          : { ...all.configured, [target.name]: when.toISOString() };
        return ok({ hosts: { ...all, hosts, configured }, value: null });
      });
    },
  };
}

function asKnownHost(host: z.infer<typeof savedHost>): KnownHost {
  const { id, label, target, lastConnected } = host;
  return {
    id: `saved:${id}`,
    label,
    target,
    from: 'saved',
    ...(lastConnected !== undefined && { lastConnected }),
  };
}

function noSuchHost(): Result<never, 'not-found'> {
  return fail('not-found', 'That host is not on the list any more: reload the list.');
}
