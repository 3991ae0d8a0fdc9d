import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { Place, PlaceProblem } from './host-look.ts';

/** Where the agent and where traces go. */
export interface ChosenPlaces {
  readonly agent: Place;
  readonly traces: Place;
}

/** What a capture of the usual size needs, with the floor that the agent leaves free. */
const ENOUGH_BYTES = 6 * 1024 ** 3;
const NEARLY = 0.75;
/** Beside the agent: a marker, folders. */
const SLACK_BYTES = 1024 * 1024;

const IN_MEMORY = new Set(['tmpfs', 'ramfs', 'devtmpfs', 'hugetlbfs']);
const OVER_A_NETWORK = /^(nfs|cifs|smb|fuse|ceph|lustre|gpfs|9p|afs|beegfs|v9fs|vboxsf|gfs|coda)/i;

/**
 * Traces go to a disk of the machine's own with room, else to the largest there is, and to memory only
 * where there is nothing else: they would take it from the job. The agent stands beside them where it
 * can be run there, so that one folder is all that is put on the host; else at the first place where it
 * can. Places in `without` were tried, and why they failed.
 */
export function choosePlaces(
  places: readonly Place[],
  agentBytes: number,
  without: ReadonlyMap<string, string> = new Map(),
): Result<ChosenPlaces, 'no-place' | 'host-disk-full'> {
  const traces = bestForTraces(
    places.filter((place) => place.state === 'usable' && place.traces && !without.has(place.path)),
  );
  const fits = (place: Place) =>
    place.agentVersion !== '' || (place.freeBytes ?? Infinity) >= agentBytes + SLACK_BYTES;
  const runs = places.filter(
    (place) => place.state === 'usable' && place.runs && !without.has(place.path),
  );
  const roomy = runs.filter(fits);
  const agent = roomy.find((place) => place === traces) ?? roomy[0];
  if (agent && traces) return ok({ agent, traces });
  const reasons = placeReasons(places, agentBytes, without) || 'none of the usual ones is there';
  if (places.some((place) => isFull(place, agentBytes))) {
    const message = `There is no room for the agent on this host (${reasons}): free some, then check it again.`;
    return fail('host-disk-full', message);
  }
  const message = `No folder on this host can be written to and executed from (${reasons}): make one of them so, for example with “mkdir -m 700 ~/.cache”.`;
  return fail('no-place', message);
}

/**
 * Several places are often of one disk, whose room changes while it is looked at: nearly as much is as
 * good, and where our folder stands already is better than to begin another.
 */
function bestForTraces(places: readonly Place[]): Place | undefined {
  const best = Math.max(...places.map(rank));
  const ranked = places.filter((place) => rank(place) === best);
  const most = Math.max(...ranked.map(free));
  const roomy = ranked.filter((place) => free(place) >= most * NEARLY);
  return roomy.find((place) => place.ours) ?? roomy[0];
}

function rank(place: Place): number {
  if (IN_MEMORY.has(place.fileSystem)) return 0;
  const isRoomy = free(place) >= ENOUGH_BYTES;
  const isLocal = !OVER_A_NETWORK.test(place.fileSystem);
  if (isRoomy) return isLocal ? 3 : 2;
  return 1;
}

function free(place: Place): number {
  return place.freeBytes ?? 0;
}

/** Whether a capture's trace would be kept in memory there. */
export function isInMemory(place: Place): boolean {
  return IN_MEMORY.has(place.fileSystem);
}

export function isOverNetwork(place: Place): boolean {
  return OVER_A_NETWORK.test(place.fileSystem);
}

const PROBLEMS: Readonly<Record<PlaceProblem, string>> = {
  absent: 'is not there',
  shared: 'can be written to by others, who could replace what stands in it',
  link: 'has a link where Stalltrace’s folder belongs',
  'no-folder': 'has something else where Stalltrace’s folder belongs',
  foreign: 'has another user’s folder where Stalltrace’s belongs',
  open: 'has Stalltrace’s folder, but others can open it',
  unmarked: 'has a folder in the place of Stalltrace’s that it did not make',
  format: 'has a folder of another version of Stalltrace',
};

/** `/tmp is read-only; /var/tmp …`: why each place that is there and can't be taken can't. */
export function placeReasons(
  places: readonly Place[],
  agentBytes: number,
  without: ReadonlyMap<string, string> = new Map(),
): string {
  const reasons = places.flatMap((place) => {
    const why = without.get(place.path) ?? reason(place, agentBytes);
    return why === undefined || place.state === 'absent' ? [] : [`${place.path} ${why}`];
  });
  return reasons.join('; ');
}

function reason(place: Place, agentBytes: number): string | undefined {
  if (isFull(place, agentBytes)) return 'is full';
  if (place.state === 'refused') return refusal(place.said);
  if (place.state !== 'usable') return PROBLEMS[place.state];
  return place.runs ? undefined : 'allows no programs (noexec)';
}

function refusal(said: string): string {
  if (/read-only/i.test(said)) return 'is read-only';
  if (/permission denied|not permitted|cannot create/i.test(said)) return 'cannot be written to';
  return `cannot be written to (${said})`;
}

const FULL = /no space left|quota exceeded/i;

function isFull(place: Place, agentBytes: number): boolean {
  // Some shells call it an I/O error.
  if (place.state === 'refused') return FULL.test(place.said) || place.freeBytes === 0;
  return (
    place.state === 'usable' &&
    place.agentVersion === '' &&
    place.freeBytes !== undefined &&
    place.freeBytes < agentBytes + SLACK_BYTES
  );
}
