import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { test } from 'vitest';
import {
  type CaptureRequest,
  defaultCapture,
} from '../../src-main/shared/remote/capture-request.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { standIn, value } from '../support/agent/agent-run.ts';
import { makeTrouble, type Trouble, troubles } from '../support/remote/link-trouble.ts';
import { createRemoteStage, endJob } from '../support/remote/remote-stage.ts';
import { type SlowLink, startSlowLink } from '../support/remote/slow-link.ts';
import { StubbornUser } from '../support/remote/troubled-run.ts';
import { describeWith } from '../support/requirements.ts';

/**
 * A link that is killed or frozen, and an app that is killed, at random moments of captures and of
 * downloads: whatever happens, the file here is the file there, and nothing stays there.
 */

const isSoak = process.env.STALLTRACE_SOAK === '1';
const ROUNDS = isSoak ? 50 : 3;
const SEED = Number(process.env.STALLTRACE_SEED ?? 6);
const PATIENCE_MS = 60_000 + ROUNDS * 60_000;
/** A download of the trace takes some seconds at this rate. */
const DOWNLOAD_BYTES_PER_S = 1_500_000;

/** Each kind comes as often as any other. */
function troubleOf(round: number): Trouble {
  return troubles[round % troubles.length] ?? 'rst';
}

/** A host, a job on it, the road to it, and a person: each test has its own, so that they can go on at once. */
interface Situation {
  readonly road: SlowLink;
  readonly job: ChildProcess;
  readonly person: StubbornUser;
  readonly random: Random;
  request(): CaptureRequest;
  trouble(which: Trouble): Promise<void>;
}

async function inSituation(
  how: readonly string[],
  act: (situation: Situation) => Promise<void>,
): Promise<void> {
  const stage = await createRemoteStage();
  const road = await startSlowLink({ toPort: stage.host.port });
  const job = spawn(standIn('account'), ['100000', ...how], { stdio: 'ignore' });
  try {
    const person = new StubbornUser(stage, stage.target({ port: road.port }));
    const random = createRandom(SEED);
    await person.connect();
    const request = () => ({
      ...defaultCapture,
      profiles: ['off-cpu-stacks' as const],
      samplesHz: 999,
      target: { kind: 'processes' as const, pids: [job.pid ?? 0] },
    });
    const trouble = (which: Trouble) =>
      makeTrouble(which, { road, random, kill: () => person.killApp() });
    await act({ road, job, person, random, request, trouble });
  } finally {
    await endJob(job);
    await stage.remove();
    await road.close();
  }
}

describeWith(['agent', 'bpf', 'sshServer'], 'a link that is killed or frozen', () => {
  test.concurrent(
    `at ${ROUNDS} random moments of a capture`,
    ({ expect }) =>
      inSituation(['calm'], async ({ job, person, random, request, trouble }) => {
        for (let round = 0; round < ROUNDS; round++) {
          const which = troubleOf(round);
          const afterMs = random(0, 4000);
          const told = `seed ${SEED}, round ${round}: ${which} after ${afterMs} ms`;
          const troubled = setTimeout(afterMs).then(() => trouble(which));
          const [{ id }] = await Promise.all([person.start(request()), troubled]);
          const before = person.app.lastOf(id)?.live?.elapsedNs ?? 0;
          await expect
            .poll(() => person.app.lastOf(id)?.live?.elapsedNs, { timeout: 60_000, message: told })
            .toBeGreaterThan(before);
          expect(await person.stop(id), told).toMatchObject({ phase: 'recorded', tone: 'ok' });
          const { path } = await person.fetchIdentical(id);
          expect(value(path, 'PRAGMA integrity_check'), told).toBe('ok');
          await person.settle(id);
        }
        expect(job.exitCode).toBeNull();
        expect(person.losses, person.told.join()).toBeGreaterThan(0);
      }),
    PATIENCE_MS,
  );

  test.concurrent(
    `at ${ROUNDS} random moments of a download`,
    ({ expect }) =>
      inSituation([], async ({ road, job, person, random, request, trouble }) => {
        const { id } = await person.start({ ...request(), durationS: 8 });
        await expect.poll(() => person.app.lastOf(id)?.phase, { timeout: 60_000 }).toBe('recorded');
        await endJob(job);
        const lossesBefore = person.losses;
        await road.set({ oneWayDelayMs: 5, bytesPerSecond: DOWNLOAD_BYTES_PER_S });
        for (let round = 0; round < ROUNDS; round++) {
          // In a short run the kinds that the captures did not have.
          const which = troubleOf(round + 2);
          const afterMs = random(0, 2500);
          const troubled = setTimeout(afterMs).then(() => trouble(which));
          const [{ path }] = await Promise.all([person.fetchIdentical(id), troubled]);
          const told = `seed ${SEED}, round ${round}: ${which} after ${afterMs} ms`;
          expect(value(path, 'PRAGMA integrity_check'), told).toBe('ok');
          await person.forgetFetched(id);
        }
        expect(person.losses).toBeGreaterThan(lossesBefore);
        await road.set({ oneWayDelayMs: 0 });
        await person.fetchIdentical(id);
        await person.settle(id);
      }),
    PATIENCE_MS,
  );
});
