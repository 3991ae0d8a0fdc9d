import { isEventTrack, showsThread, type Track } from '../model/track-model.ts';

/**
 * The track on which a wait chain shows what `thread` was doing: its states, else anything of it, else
 * the CPU it ran on.
 */
export function trackOfThread(
  tracks: readonly Track[],
  thread: number,
  cpu: number | undefined,
): Track | undefined {
  const own = tracks.filter((track) => isEventTrack(track) && showsThread(track, thread));
  return (
    own.find(({ table }) => table === 'off_cpu') ??
    own[0] ??
    tracks.find(({ id }) => id === `on_cpu:${cpu}`)
  );
}
