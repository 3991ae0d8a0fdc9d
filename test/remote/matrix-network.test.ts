import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultCapture } from '../../src-main/shared/remote/capture-request.ts';
import { standIn, value } from '../support/agent/agent-run.ts';
import { createRemoteStage, endJob, type RemoteStage } from '../support/remote/remote-stage.ts';
import { type SshHost, startSshHost } from '../support/remote/ssh-host.ts';
import { createSshNetwork, type SshNetwork } from '../support/remote/ssh-network.ts';
import { createSshUser, type SshUser } from '../support/remote/ssh-user.ts';
import { StubbornUser } from '../support/remote/troubled-run.ts';
import { describeWith } from '../support/requirements.ts';

/** A host behind a bastion, each in a network of its own, and a cable that is pulled. */

const NETWORK_TIMEOUT_MS = 180_000;

describeWith(
  ['agent', 'bpf', 'sshServer', 'networkNamespaces'],
  'a host behind a bastion whose cable is pulled',
  () => {
    let network: SshNetwork;
    let bastion: SshHost;
    let porter: SshUser;
    let stage: RemoteStage;
    let job: ChildProcess;

    beforeAll(async () => {
      network = createSshNetwork();
      bastion = await startSshHost({ ...network.bastion, port: 22 });
      stage = await createRemoteStage({ host: { ...network.inner, port: 22 } });
      porter = await createSshUser();
      porter.authorise(stage.key.publicKey);
      // As with ssh, -i is not for the hops.
      const ssh = join(stage.folder, 'home/.ssh');
      mkdirSync(ssh, { recursive: true, mode: 0o700 });
      writeFileSync(
        join(ssh, 'config'),
        `Host *\n  IdentityFile ${stage.key.file}\n  ServerAliveInterval 1\n`,
      );
      job = spawn(standIn('account'), ['100000', 'calm'], { stdio: 'ignore' });
    });
    afterAll(async () => {
      await endJob(job);
      await stage.remove();
      await bastion.stop();
      await porter.remove();
      network.remove();
    });

    /** Until it is noticed, or until there is nobody who would. */
    async function pull(
      person: StubbornUser,
      afterMs: number,
      isOver = () => false,
    ): Promise<void> {
      await setTimeout(afterMs);
      // A cable that is back may be followed by one more loss: TCP is slow to try again.
      const state = () => person.app.links.at(-1)?.state.kind ?? 'connected';
      await expect.poll(state, { timeout: 40_000 }).toBe('connected');
      const before = person.losses;
      network.cut();
      try {
        await expect.poll(() => person.losses > before || isOver(), { timeout: 40_000 }).toBe(true);
      } finally {
        network.mend();
      }
    }

    test(
      'is captured, and its trace is brought back, identical',
      async () => {
        const jumps = [`${porter.name}@${bastion.address}:22`];
        const person = new StubbornUser(stage, stage.target({ jumps }));
        await person.connect();
        const { id } = await person.start({
          ...defaultCapture,
          profiles: ['off-cpu-stacks'],
          samplesHz: 999,
          target: { kind: 'processes', pids: [job.pid ?? 0] },
        });
        await pull(person, 500);
        const before = person.app.lastOf(id)?.live?.elapsedNs ?? 0;
        await expect
          .poll(() => person.app.lastOf(id)?.live?.elapsedNs, { timeout: 60_000 })
          .toBeGreaterThan(before);
        await person.stop(id);
        let isFetched = false;
        const fetching = person.fetchIdentical(id).finally(() => {
          isFetched = true;
        });
        // A small trace may be here before.
        const [{ path }] = await Promise.all([fetching, pull(person, 20, () => isFetched)]);
        expect(value(path, 'PRAGMA integrity_check')).toBe('ok');
        await person.settle(id);
      },
      NETWORK_TIMEOUT_MS,
    );
  },
);
