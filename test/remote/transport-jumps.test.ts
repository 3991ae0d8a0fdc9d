import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResolvedHost } from '../../src-main/remote/config/resolved-host.ts';
import { hostAt, must, open, personSaying, run } from '../support/remote/open-transport.ts';
import { freePort, type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshNetwork, type SshNetwork } from '../support/remote/ssh-network.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { testTrust } from '../support/remote/test-trust.ts';
import { describeWith } from '../support/requirements.ts';

describeWith(['sshServer', 'networkNamespaces'], 'a host behind another', () => {
  let network: SshNetwork;
  let bastion: SshHost;
  let inner: SshHost;
  let porter: SshUser;
  let user: SshUser;

  beforeAll(async () => {
    network = createSshNetwork();
    bastion = await startSshHost({ ...network.bastion, port: 22 });
    inner = await startSshHost({ ...network.inner, port: 22 });
    porter = await createSshUser();
    user = await createSshUser();
  });
  afterAll(async () => {
    await Promise.all([bastion.stop(), inner.stop()]);
    await Promise.all([porter.remove(), user.remove()]);
    network.remove();
  });

  function target(more: Partial<ResolvedHost> = {}, jump: Partial<ResolvedHost> = {}) {
    return hostAt(inner, user, { name: 'gpu1', jumps: [hostAt(bastion, porter, jump)], ...more });
  }

  it('is reached over it, each with its own key and its own way in', async () => {
    const trust = testTrust(bastion, inner);
    const person = personSaying(porter.password, user.password);
    const transport = must(await open(target(), { trust, ask: person.ask }));
    const [first, second] = [bastion, inner].map(({ address }) => address);
    expect(trust.judged).toEqual([`${first}:22`, `${second}:22`]);
    expect(person.asked).toMatchObject([
      { kind: 'password', host: `${porter.name}@${first}:22` },
      { kind: 'password', host: `${user.name}@${second}:22` },
    ]);
    expect(transport.facts).toMatchObject({
      via: [`${porter.name}@${first}:22`],
      hostKey: { fingerprint: inner.hostKeys.get('ed25519')?.fingerprint },
    });
    expect(await run(transport, 'id -un')).toMatchObject({ stdout: `${user.name}\n` });
    const reading = must(await transport.exec('cat /dev/zero'));
    transport.close();
    expect(await reading.exit).toEqual({ code: null });
    await expect.poll(() => [bastion, inner].map((host) => host.connections())).toEqual([[], []]);
  });

  it('names the hop that fails', async () => {
    const where = `Could not sign in to ${bastion.address}:22, on the way to gpu1: tried`;
    const trust = testTrust(bastion, inner);
    const refused = await open(target(), { trust, ask: personSaying('x', 'y', 'z').ask });
    expect(refused).toMatchObject({
      error: { code: 'sign-in-failed', message: expect.stringContaining(where) },
    });
    const unknown = await open(target({ strictHostKeyChecking: 'yes' }), {
      trust: testTrust(bastion),
      ask: personSaying(porter.password).ask,
    });
    expect(unknown).toMatchObject({
      error: {
        code: 'host-key-unknown',
        message: expect.stringContaining(`The key of ${inner.address}:22`),
      },
    });
    const closed = await open(target({ port: await freePort() }), {
      trust,
      ask: personSaying(porter.password).ask,
    });
    expect(closed).toMatchObject({
      error: {
        code: 'connection-refused',
        message: expect.stringContaining(`${porter.name}@${bastion.address}:22 can't reach`),
      },
    });
    const nobody = await open(target({ hostName: 'gpu1.invalid' }), {
      trust,
      ask: personSaying(porter.password).ask,
    });
    expect(nobody).toMatchObject({ error: { code: 'host-not-found' } });
    const needs = await open(target({}, { needsSystemSsh: 'The bastion has a ProxyCommand.' }), {
      trust,
    });
    expect(needs).toEqual({
      ok: false,
      error: { code: 'needs-system-ssh', message: 'The bastion has a ProxyCommand.' },
    });
    await expect.poll(() => [bastion, inner].map((host) => host.connections())).toEqual([[], []]);
  });

  it('says so where the bastion does not forward', async () => {
    const strict = await startSshHost({
      networkNamespace: network.bastion.networkNamespace,
      address: network.bastion.address,
      port: 2222,
      config: ['AllowTcpForwarding no'],
    });
    try {
      const jumps = [hostAt(strict, porter)];
      const refused = await open(target({ jumps }), {
        trust: testTrust(strict, inner),
        ask: personSaying(porter.password).ask,
      });
      expect(refused).toMatchObject({
        error: { code: 'unreachable', message: expect.stringContaining('AllowTcpForwarding') },
      });
    } finally {
      await strict.stop();
    }
  });

  it('is lost with it: by a cable that is cut, and by a hop that stands still', async () => {
    const options = () => ({
      trust: testTrust(bastion, inner),
      ask: personSaying(porter.password, user.password).ask,
      keepAliveMs: 200,
    });
    for (const [lose, mend, why] of [
      [() => network.cut(), () => network.mend(), /No sign of life from/],
      [
        () => inner.signalConnections('SIGSTOP'),
        () => inner.signalConnections('SIGKILL'),
        new RegExp(`No sign of life from ${user.name}@${inner.address}:22`),
      ],
      [() => bastion.signalConnections('SIGKILL'), () => undefined, /closed the connection|reset/],
    ] as const) {
      const transport = must(await open(target(), options()));
      const channel = must(await transport.exec('cat /dev/zero'));
      channel.stdout.resume();
      await once(channel.stdout, 'data');
      lose();
      expect(await channel.exit).toEqual({ code: null });
      expect((await transport.ended).why).toMatch(why);
      mend();
    }
  });
});
