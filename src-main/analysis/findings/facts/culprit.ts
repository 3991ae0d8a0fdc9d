import type { Trace } from '../../../shared/model/trace.ts';
import type { Peer } from '../../threads/peers.ts';

/**
 * What a finding blames, by a name that stands for it in another recording too: two traces are held against each other
 * by it. So it has no lines, numbers of processes or folders, and where two are nearly as much to blame, there is none:
 * else by chance it were the one in this trace, and the other in the next.
 */

/** Of what a finding tells, so much has to be of one. Our own choice. */
export const CLEARLY = 0.6;

/** `save_model` of `save_model (train.py:51)`. */
export function functionOf(place: string): string {
  return place.replace(/ \([^()]*\)$/, '');
}

/** What a judgement blames, where that is one place in the job's code: nothing where it is not known. */
export function blames(place: string | undefined) {
  return place === undefined ? {} : { culprit: functionOf(place), place };
}

/** Where the time of a call is, each `save_model (train.py:51)`; undefined = not known. */
export interface TimePlaces {
  /** What was called. */
  readonly entry: string | undefined;
  /** What has the time, where `entry` calls it. */
  readonly inner: string | undefined;
}

/** A title of more characters leaves no room for who called. Our own choice. */
const ROOM = 100;

/**
 * What a judgement blames and what its title says of it, from one place: the function that has the time, which its fix names
 * too, and who calls it where there is room. `The dataset takes long, in decode (data.py:12), called by Clips.__getitem__`.
 */
export function blamedIn(title: string, { entry, inner }: TimePlaces) {
  const place = inner ?? entry;
  if (place === undefined) return { title };
  const told = `${title}, in ${place}`;
  const isCalled = entry !== undefined && functionOf(entry) !== functionOf(place);
  const full = isCalled ? `${told}, called by ${functionOf(entry)}` : told;
  return { title: full.length > ROOM ? told : full, culprit: functionOf(place) };
}

/** `index.db` of `/data/run-71/index.db (ext4)`: folders are often made anew. */
export function fileNameOf(path: string): string {
  return path.replace(/ \([^()]*\)$/, '').replace(/^.*\//, '');
}

/** The name with clearly most of the time; undefined where none has, or that has none. */
export function clearCulprit(
  parts: readonly { readonly name: string | undefined; readonly ns: number }[],
): string | undefined {
  const all = parts.reduce((sum, { ns }) => sum + ns, 0);
  const byName = new Map<string | undefined, number>();
  for (const { name, ns } of parts) byName.set(name, (byName.get(name) ?? 0) + ns);
  return [...byName].find(([, ns]) => ns > 0 && ns >= all * CLEARLY)?.[0];
}

/** From here on Linux numbers connections by itself (ip_local_port_range): such a port is another in the next run. */
const FIRST_EPHEMERAL_PORT = 32_768;

/** `redis-server:6379`, `10.0.0.2:443`, `sshfs`. */
export function serverName(
  { processes }: Trace,
  { process, address = '' }: Peer,
): string | undefined {
  const [, host = address, port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  const who = processes[process]?.name || host;
  const isKept = port !== '' && Number(port) < FIRST_EPHEMERAL_PORT;
  return who === '' ? undefined : `${who}${isKept ? `:${port}` : ''}`;
}
