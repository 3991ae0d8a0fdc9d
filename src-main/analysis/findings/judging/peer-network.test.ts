import { describe, expect, test } from 'vitest';
import type { Row } from '../../testing/build-trace.ts';
import { peerTraffic } from '../facts/peer-traffic.ts';
import { peerWaits } from '../facts/peer-waits.ts';
import { slowServer } from '../rules/slow-server.ts';
import { buildFacts, cell, MS, SECOND } from '../testing/build-facts.ts';
import { loopServerPlan } from '../testing/host-examples.ts';

const RECEIVE = 45;
const names = [
  ['', 'socket to 10.0.0.2:6379'],
  ['', '10.0.0.2'],
  ['', '10.0.0.3'],
] as const;

/** A reading of a connection of the worker with the server; the counters are what `more` says. */
function reading(atS: number, more: Row<'connection'> = {}): Row<'connection'> {
  return {
    ...{ startNs: atS * SECOND, process: 1, socket: 4711, ownPort: 40_000 },
    ...{ peerAddress: 1, peerPort: 6379, newNs: -1 },
    ...more,
  };
}

/** The worker waits 100 times, 41 ms each, for 10.0.0.2:6379; or for what `file` names. */
function asking(
  connection: readonly Row<'connection'>[],
  file = names[0][1],
  others: readonly (readonly [string, string])[] = names.slice(1),
) {
  return buildFacts({
    workers: [{ cycles: { sleeping: 4.1 * SECOND } }],
    costs: [cell('input', 'worker', 'sleeping', 3 * SECOND)],
    trace: {
      names: [['', file], ...others],
      rows: {
        connection,
        off_cpu: Array.from({ length: 100 }, (_, at) => ({
          ...{ thread: 1, startNs: at * 90 * MS, durationNs: 41 * MS, state: 1, runQueueNs: 0 },
          ...{ syscall: RECEIVE, file: 0, waker: -1, wakerContext: 2 },
        })),
      },
    },
  });
}

const told = (connection: readonly Row<'connection'>[]) => slowServer.judge(asking(connection));

describe('what came and went', () => {
  const trafficOf = (...connection: readonly Row<'connection'>[]) => {
    const facts = asking(connection);
    return peerTraffic(facts, peerWaits(facts)[0]);
  };

  test('is what was counted between readings, of the connections of who waited', () => {
    const traffic = trafficOf(
      reading(1, { bytesReceived: 1000, bytesSent: 10 }),
      reading(1, { bytesReceived: 9e9, socket: 5, process: 0 }),
      reading(1, { bytesReceived: 1000, socket: 6, peerAddress: 2 }),
      reading(1, { bytesReceived: 1000, socket: 7, peerPort: 80 }),
      reading(4, { bytesReceived: 5000, bytesSent: 90 }),
      reading(4, { bytesReceived: 10e9, socket: 5, process: 0 }),
      reading(4, { bytesReceived: 7000, socket: 6, peerAddress: 2 }),
      reading(4, { bytesReceived: 7000, socket: 7, peerPort: 80 }),
    );
    expect(traffic).toEqual({
      ...{ connections: 1, receivedBytes: 4000, sentBytes: 80, segmentsSent: 0, retransmits: 0 },
    });
  });

  test('is all of a connection that was not there at the look before', () => {
    const isNew = { newNs: SECOND, bytesReceived: 1000, bytesSent: 10 };
    expect(trafficOf(reading(2, isNew))?.receivedBytes).toBe(1000);
    expect(trafficOf(reading(2, { ...isNew, newNs: -1 }))?.receivedBytes).toBe(0);
    // Part of it may be of before the loop.
    expect(trafficOf(reading(0.5, isNew))?.receivedBytes).toBe(0);
    // The same socket, connected anew: it counts from 0 again.
    const anew = [reading(2, isNew), reading(4, { ...isNew, bytesReceived: 300 })] as const;
    expect(trafficOf(...anew)?.receivedBytes).toBe(1300);
    expect(trafficOf(...anew)?.connections).toBe(1);
  });

  test('is none where nothing was counted, after the loop, or where a counter is wrong', () => {
    expect(trafficOf()).toBeUndefined();
    const late = [reading(9, { bytesReceived: 1 }), reading(11, { bytesReceived: 99 })] as const;
    expect(trafficOf(...late)?.receivedBytes).toBe(0);
    const less = [reading(1, { bytesReceived: 99 }), reading(2, { bytesReceived: 1 })] as const;
    expect(trafficOf(...less)?.receivedBytes).toBe(0);
    const unknown = [reading(1, { bytesReceived: -1 }), reading(2, { bytesReceived: 9 })] as const;
    expect(trafficOf(...unknown)?.receivedBytes).toBe(0);
  });

  test.each([
    ['socket to [::1]:6379', '::1', 6379],
    ['socket to an IPv6 address, port 6379', '2001:db8::1', 6379],
    ['socket from 10.0.0.7', '10.0.0.7', 50_000],
    ['socket from an IPv6 address', '2001:db8::1', 50_000],
  ])('knows %s', (file, address, peerPort) => {
    const row = { peerPort, bytesReceived: 7, newNs: SECOND, ownPort: 30_000 };
    const facts = asking([reading(2, row)], file as (typeof names)[0][1], [['', address]]);
    expect(peerTraffic(facts, peerWaits(facts)[0])?.receivedBytes).toBe(7);
  });
});

describe('waits for a server', () => {
  const counted = { bytesReceived: 2 ** 22, bytesSent: 25_600, newNs: SECOND };

  test('are told with bytes, and with the server as what takes long where the network is quick', () => {
    const judgement = told([
      reading(2, { ...counted, minRttNs: 0.2 * MS }),
      reading(2, { ...counted, socket: 5, minRttNs: 0.1 * MS }),
    ]);
    expect(judgement?.sentence).toContain(
      'At least 8.000 MiB came from 10.0.0.2:6379 and 50.00 KiB went there, over 2 connections: 81.92 KiB and 512 B for each of these waits.',
    );
    // Answers are so large that it matters how fast they come.
    expect(judgement?.sentence).toContain('takes 200.0 µs or less at its quickest.');
    const short = told([reading(2, { ...counted, bytesReceived: 4e5, minRttNs: 0.2 * MS })]);
    expect(short?.sentence).toContain(
      'The way there and back through the network takes 200.0 µs or less at its quickest, and a wait 41.00 ms (median): it is likely the server that takes long, or whom it asks in turn, not the network.',
    );
    expect(short?.fix.text).toContain('Otherwise the server, or what it asks in turn,');
    expect(short?.evidence.map(({ basis }) => basis)).toContain('aggregated');
  });

  test('are the distance where a round trip takes as long as a wait', () => {
    const judgement = told([reading(2, { ...counted, minRttNs: 38 * MS })]);
    expect(judgement?.sentence).toContain(
      'takes 38.00 ms even at its quickest, and a wait 41.00 ms (median): most of it is the distance.',
    );
    expect(judgement?.fix.text).toContain(
      'Otherwise shorten the path: put a copy of what 10.0.0.2:6379 serves nearby, or run the job near it.',
    );
  });

  test('are neither where it takes part of a wait, where data streams in, or is lost', () => {
    const asked = (more: Row<'connection'>) => told([reading(2, { ...counted, ...more })]);
    const neither = /likely the server|the distance/;
    expect(asked({ minRttNs: 10 * MS })?.sentence).not.toMatch(neither);
    expect(asked({ minRttNs: 60 * MS })?.sentence).not.toMatch(neither);
    // Of an older connection it may be the time in which the server answered.
    expect(asked({ minRttNs: 38 * MS, newNs: -1 })?.sentence).not.toMatch(neither);
    const lost = { bytesReceived: 4e5, minRttNs: 0.2 * MS, segmentsSent: 400, retransmits: 12 };
    expect(asked(lost)?.sentence).not.toMatch(neither);
    expect(asked(lost)?.sentence).toContain(
      'At least 12 segments to 10.0.0.2:6379 were sent again, 3.0 % of those that were counted: the network lost data, or brought it late.',
    );
    expect(asked({ ...lost, retransmits: 2 })?.sentence).not.toContain('sent again');
    expect(asked({ ...lost, segmentsSent: 4000 })?.sentence).not.toContain('sent again');
  });

  test('of the loop itself, too', () => {
    const { trace, ...plan } = loopServerPlan;
    const more = [...(trace?.names ?? []), ['', '127.0.0.1']] as [string, string][];
    const row = { process: 0, peerAddress: more.length - 1, bytesReceived: 5120, newNs: SECOND };
    const facts = buildFacts({
      ...plan,
      trace: {
        ...trace,
        names: more,
        rows: { ...trace?.rows, connection: [reading(2, { ...row, minRttNs: 0.03 * MS })] },
      },
    });
    const judgement = slowServer.judge(facts);
    expect(judgement?.sentence).toContain('At least 5.000 KiB came from tee (pid 301)');
    expect(judgement?.sentence).toContain('likely the server');
  });
});
