import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Channel, Transport } from '../../src-main/remote/transport/transport.ts';
import {
  collect,
  hostAt,
  must,
  open,
  personSaying,
  run,
} from '../support/remote/open-transport.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { testTrust } from '../support/remote/test-trust.ts';
import { describeWith } from '../support/requirements.ts';

const MB = 1024 ** 2;

describeWith(['sshServer'], 'commands over ssh2', () => {
  let host: SshHost;
  let user: SshUser;
  let transport: Transport;

  beforeAll(async () => {
    host = await startSshHost({ config: ['RekeyLimit 16M', 'MaxSessions 6'] });
    user = await createSshUser();
    transport = await connected();
  });
  afterAll(async () => {
    transport.close();
    await host.stop();
    await user.remove();
  });

  async function connected(to = host): Promise<Transport> {
    const { ask } = personSaying(user.password);
    return must(await open(hostAt(to, user), { trust: testTrust(to), ask }));
  }

  it('tells output, errors and exit code apart', async () => {
    expect(await run(transport, 'cat; echo oops >&2; exit 3', 'in')).toEqual({
      stdout: 'in',
      stderr: 'oops\n',
      code: 3,
    });
    expect(await run(transport, 'kill -TERM $$')).toMatchObject({ code: null });
    const channel = must(await transport.exec('kill -KILL $$'));
    channel.stdout.resume();
    expect(await channel.exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('waits for whoever reads before it says that a command has ended', async () => {
    const channel = must(await transport.exec(`head -c ${MB} /dev/zero; echo done >&2`));
    const ended = channel.exit.then(() => 'ended');
    // Long after it could have been said.
    expect(await Promise.race([ended, setTimeout(500, 'waits')])).toBe('waits');
    let bytes = 0;
    for await (const chunk of channel.stdout) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(MB);
    expect(await channel.exit).toEqual({ code: 0 });
  });

  it('ends though nobody ever looked at what it printed to standard error', async () => {
    const channel = must(await transport.exec('echo unread >&2; echo read'));
    const lines = await channel.stdout.toArray();
    expect(String(Buffer.concat(lines as Buffer[]))).toBe('read\n');
    expect(await channel.exit).toEqual({ code: 0 });
  });

  it('carries 100 MB each way through several rekeyings, unchanged', async () => {
    const piece = randomBytes(MB);
    const expected = createHash('sha256');
    const back = createHash('sha256');
    const channel = must(await transport.exec('cat'));
    channel.stdout.on('data', (chunk: Buffer) => back.update(chunk));
    for (let sent = 0; sent < 100; sent++) {
      expected.update(piece);
      if (!channel.stdin.write(piece)) await once(channel.stdin, 'drain');
    }
    channel.stdin.end();
    expect(await channel.exit).toEqual({ code: 0 });
    expect(back.digest('hex')).toBe(expected.digest('hex'));
    expect(await run(transport, 'echo still here')).toMatchObject({ stdout: 'still here\n' });
  });

  it('holds at most its window of what nobody reads, and of what the host does not take', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const talker = must(await transport.exec('cat /dev/zero'));
    const listener = must(await transport.exec('sleep 1000'));
    let taken = 0;
    const piece = Buffer.alloc(64 * 1024);
    const write = (): void => {
      listener.stdin.write(piece, (error) => {
        if (error) return;
        taken += piece.length;
        write();
      });
    };
    write();
    const held = () => taken + talker.stdout.readableLength;
    for (let before = -1; before !== held() || taken < MB; ) {
      before = held();
      // Where nothing came or went for so long, nothing will.
      await setTimeout(500);
    }
    expect(taken).toBeGreaterThan(MB);
    expect(taken).toBeLessThan(4 * MB);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24 * MB);
    talker.close();
    listener.close();
    expect(await talker.exit).toEqual({ code: null });
    expect(listener.stdin.destroyed).toBe(true);
  });

  it('lets go of a command that is closed: its reader sees the end', async () => {
    const channel = must(await transport.exec('echo $$; exec cat /dev/zero'));
    const [first] = (await once(channel.stdout, 'data')) as [Buffer];
    channel.stdout.pause();
    const pid = Number.parseInt(first.toString('latin1'), 10);
    const exits = channel.exit;
    channel.close();
    channel.close();
    expect(await exits).toEqual({ code: null });
    channel.stdout.resume();
    await once(channel.stdout, 'end');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('ends a writer when its command has ended', async () => {
    const channel = must(await transport.exec('exit 4'));
    const written = Promise.withResolvers<unknown>();
    const write = (): void => {
      channel.stdin.write(Buffer.alloc(MB), (error) => {
        if (error) written.resolve(error);
        else write();
      });
    };
    write();
    expect(await written.promise).toBeInstanceOf(Error);
    channel.stdout.resume();
    expect(await channel.exit).toEqual({ code: 4 });
  });

  it('a reader that stops reading holds up nothing else', async () => {
    const channel = must(
      await transport.exec(`head -c ${8 * MB} /dev/zero; echo rest >&2; exit 5`),
    );
    channel.stdout.destroy();
    expect(await collect(channel)).toMatchObject({ stderr: 'rest\n', code: 5 });
  });

  it('says so where the server opens no more sessions, and goes on when one has ended', async () => {
    const few = await startSshHost({ config: ['MaxSessions 2'] });
    try {
      const narrow = await connected(few);
      const channels: Channel[] = [must(await narrow.exec('cat')), must(await narrow.exec('cat'))];
      expect(await narrow.exec('true')).toMatchObject({
        error: { code: 'no-more-channels', message: expect.stringContaining('MaxSessions') },
      });
      for (const channel of channels.splice(0, 1)) {
        channel.stdout.resume();
        channel.stdin.end();
        await channel.exit;
      }
      expect(await run(narrow, 'echo room')).toMatchObject({ stdout: 'room\n' });
      narrow.close();
      expect(await channels[0]?.exit).toEqual({ code: null });
    } finally {
      await few.stop();
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
