import { once } from 'node:events';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLink } from '../../src-main/remote/link/open-link.ts';
import { Credentials } from '../../src-main/remote/sign-in/credentials.ts';
import type { Transport } from '../../src-main/remote/transport/transport.ts';
import type { LinkState } from '../../src-main/shared/remote/connection.ts';
import { hostAt, must, open, personSaying, run } from '../support/remote/open-transport.ts';
import { type SlowLink, startSlowLink } from '../support/remote/slow-link.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { testTrust } from '../support/remote/test-trust.ts';
import { describeWith } from '../support/requirements.ts';

const KEEP_ALIVE_MS = 200;
/** Between signs of life: what is noticed at once is not noticed by them. */
const NEVER_MS = 600_000;
const forever = new AbortController().signal;

describeWith(['sshServer'], 'a connection that is lost', () => {
  let host: SshHost;
  let user: SshUser;
  let road: SlowLink;

  beforeAll(async () => {
    host = await startSshHost();
    user = await createSshUser();
    road = await startSlowLink({ toPort: host.port });
  });
  afterAll(async () => {
    await road.close();
    await host.stop();
    await user.remove();
  });

  const far = () => ({ address: '127.0.0.1', port: road.port });
  function trust() {
    const known = testTrust(host);
    known.known.set(`127.0.0.1:${road.port}`, [...known.known.values()][0] ?? []);
    return known;
  }
  async function connected(keepAliveMs = KEEP_ALIVE_MS): Promise<Transport> {
    const { ask } = personSaying(user.password);
    return must(await open(hostAt(far(), user), { trust: trust(), ask, keepAliveMs }));
  }

  /** Commands in every state: read, unread, written to, and one that is being opened. */
  async function busy(transport: Transport, lose: () => Promise<unknown>) {
    const read = must(await transport.exec('cat /dev/zero'));
    const unread = must(await transport.exec('cat /dev/zero'));
    const written = must(await transport.exec('sleep 1000'));
    let bytes = 0;
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        done();
      },
    });
    const reading = pipeline(read.stdout, sink);
    const writing = new Promise<unknown>((resolve) => {
      const write = (): void => {
        written.stdin.write(Buffer.alloc(256 * 1024), (error) =>
          error ? resolve(error) : write(),
        );
      };
      write();
    });
    await once(read.stdout, 'data');
    await lose();
    const opening = transport.exec('true');
    const exits = await Promise.all([read.exit, unread.exit, written.exit]);
    await reading;
    expect(exits).toEqual([{ code: null }, { code: null }, { code: null }]);
    expect(bytes).toBeGreaterThan(0);
    expect(await writing).toBeInstanceOf(Error);
    expect(await opening).toMatchObject({ error: { code: 'link-lost' } });
    const end = await transport.ended;
    expect(await transport.exec('true')).toEqual({
      ok: false,
      error: { code: 'link-lost', message: end.why },
    });
    return end;
  }

  it('frozen: everything settles when there was no sign of life for three intervals', async () => {
    const end = await busy(await connected(), () => road.freeze());
    const address = `${user.name}@127.0.0.1:${road.port}`;
    expect(end).toEqual({ why: `No sign of life from ${address} for 0.6 s.`, wanted: false });
    await road.thaw();
    await road.cut();
  });

  it('by a server that stands still (SIGSTOP): likewise', async () => {
    const transport = await connected();
    const end = await busy(transport, async () => host.signalConnections('SIGSTOP'));
    expect(end.why).toContain('No sign of life');
    host.signalConnections('SIGCONT');
  });

  for (const how of ['rst', 'fin'] as const)
    it(`cut (${how}): everything settles at once`, async () => {
      const end = await busy(await connected(NEVER_MS), () => road.cut(how));
      expect(end.wanted).toBe(false);
      expect(end.why).toContain(`${user.name}@127.0.0.1:${road.port}`);
    });

  it('by the end of the server process: everything settles at once', async () => {
    const transport = await connected(NEVER_MS);
    const end = await busy(transport, async () => host.signalConnections('SIGKILL'));
    expect(end).toMatchObject({ wanted: false });
  });

  it('closed while it is frozen: everything settles at once, and the socket goes', async () => {
    const transport = await connected(NEVER_MS);
    await road.freeze();
    transport.close();
    expect(await transport.ended).toMatchObject({ wanted: true });
    await expect.poll(async () => (await road.thaw()).open).toBe(0);
  });

  it('is not taken for lost where a slow link is full of data', async () => {
    await road.set({ oneWayDelayMs: 0, bytesPerSecond: 400_000 });
    try {
      const transport = await connected();
      const channel = must(await transport.exec('head -c 1500000 /dev/zero'));
      let bytes = 0;
      for await (const chunk of channel.stdout) bytes += (chunk as Buffer).length;
      expect(bytes).toBe(1_500_000);
      expect(await channel.exit).toEqual({ code: 0 });
      transport.close();
    } finally {
      await road.set({ oneWayDelayMs: 0 });
    }
  });

  it('is made anew by its link with what a person gave before', async () => {
    const credentials = new Credentials();
    const person = personSaying({ kind: 'trust', once: true }, user.password);
    const strange = testTrust();
    const states: LinkState[] = [];
    const to = hostAt(far(), user);
    const link = must(
      await openLink({
        connection: 'c',
        label: 'far',
        host: to,
        signal: forever,
        delaysMs: [50, 100],
        open: (signal, mayAsk) =>
          open(to, {
            trust: strange,
            credentials,
            signal,
            keepAliveMs: KEEP_ALIVE_MS,
            ...(mayAsk ? { ask: person.ask } : {}),
          }),
      }),
    );
    link.onState((state) => states.push(state));
    const first = must(await link.transport(forever));
    for (const lose of [() => road.cut('rst'), () => road.freeze()]) {
      const lost = must(await link.transport(forever)).ended;
      await lose();
      await lost;
      await road.thaw();
      const transport = must(await link.transport(forever));
      expect(transport).not.toBe(first);
      expect(await run(transport, 'id -un')).toMatchObject({ stdout: `${user.name}\n` });
    }
    expect(person.asked.map(({ kind }) => kind)).toEqual(['host-key', 'password']);
    expect(link.connected).toMatchObject({ label: 'far', signedInWith: 'password' });
    await road.listen(false);
    await road.cut();
    await expect
      .poll(() => states.at(-1))
      .toMatchObject({ kind: 'reconnecting', why: expect.stringContaining('refuses connections') });
    await road.listen(true);
    must(await link.transport(forever));
    link.close();
    expect(link.state).toMatchObject({ kind: 'closed' });
    await expect.poll(() => host.connections()).toEqual([]);
  });

  it('stays lost where the host shows another key meanwhile', async () => {
    const known = trust();
    const credentials = new Credentials();
    const to = hostAt(far(), user);
    const person = personSaying(user.password);
    const link = must(
      await openLink({
        connection: 'c',
        label: 'far',
        host: to,
        signal: forever,
        delaysMs: [20],
        open: (signal, mayAsk) =>
          open(to, { trust: known, credentials, signal, ...(mayAsk ? { ask: person.ask } : {}) }),
      }),
    );
    known.known.set(`127.0.0.1:${road.port}`, ['AAAAC3NzaC1lZDI1NTE5AAAAIAAA']);
    await road.cut();
    await expect
      .poll(() => link.state)
      .toMatchObject({ kind: 'closed', why: expect.stringContaining('has changed') });
    expect(await link.transport(forever)).toMatchObject({ error: { code: 'not-connected' } });
  });
});
