import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { onceFor } from '../../index/per-trace.ts';
import { CLEARLY, clearCulprit, serverName } from '../facts/culprit.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { type PeerWaits, peerWaitsIn } from '../facts/peer-waits.ts';
import { askAhead } from '../fixes/ask-ahead.ts';
import type { Judgement } from '../rule.ts';
import { judgeHost, rowsOf } from './judge-host.ts';
import { eachWait, networkOf, orFaster, otherPeers, peerDid } from './peer-words.ts';

/** The training loop itself, outside of its loader, waits for a server, or for another process that feeds or is fed. */
export function judgeLoopServer(facts: RankFacts): Judgement | undefined {
  // Else it may be its way to wait for a batch.
  if (!facts.inputKnown) return undefined;
  const all = peerWaitsIn(facts, rowsOf(facts, 'slow-server'));
  const [most] = all;
  if (most === undefined) return undefined;
  const who = whoText(all);
  const each = eachWait(facts, most);
  const network = networkOf(facts, most);
  // Only where it is told: it looks at all threads of the other one.
  const didOf = onceFor(
    (waits: PeerWaits) => waits,
    (waits) => peerDid(facts, waits),
  );
  return judgeHost(facts, {
    kind: 'slow-server',
    title: `The training loop waits for ${who}`,
    doing: `waiting for ${who}`,
    isWait: true,
    takesCpus: all.some(({ peer }) => peer.process >= 0),
    culprit: clearCulprit(all.map(({ peer, ns }) => ({ name: serverName(facts.trace, peer), ns }))),
    more: () => {
      const did = didOf(most);
      return {
        say: [
          `${each.text}.`,
          ...network.facts.map(({ text }) => `${text}.`),
          ...(did === undefined ? [] : [`${did}.`]),
        ],
        facts: [
          each,
          ...network.facts,
          ...(did === undefined ? [] : [evidence(did, 'inferred', refsTo('off_cpu', most.rows))]),
          ...otherPeers(facts, all.slice(1)),
        ],
      };
    },
    fix: ({ place }) => fixFor(most, orFaster(most, didOf(most), network), place),
  });
}

/** The peer with clearly most of the time, or that there are several. */
function whoText(all: readonly PeerWaits[]): string {
  const [most] = all;
  const ns = all.reduce((sum, waits) => sum + waits.ns, 0);
  if (most.ns >= ns * CLEARLY) return most.peer.text;
  return `${all.length} other processes, most for ${most.peer.text}`;
}

function fixFor(waits: PeerWaits, otherwise: string, place: string | undefined): Fix {
  const where = place === undefined ? '' : ` in ${place}`;
  return {
    title: `Do not wait for ${waits.peer.text}${where} in the training loop`,
    text: `The GPU gets nothing new to do while the loop waits. Give what the loop only reports, such as figures for a logger, to a thread that sends it, ideally many steps in one request. What is the same each time, such as the address of a name, is asked for once and kept. Ask for what the loop needs while the step before is computed, and for several steps at a time. ${otherwise}`,
    ...askAhead,
  };
}
