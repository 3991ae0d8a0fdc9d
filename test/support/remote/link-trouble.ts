import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../simulation/random.ts';
import type { SlowLink } from './slow-link.ts';

/** How a link is lost, or the app with it. `nap`: frozen, but not for long enough to be noticed. */
export const troubles = ['rst', 'freeze', 'fin', 'nap', 'kill'] as const;
export type Trouble = (typeof troubles)[number];

/** What is noticed takes three intervals of 5 s without a sign of life. */
const NOTICED_MS = 16_000;

export interface TroubleOptions {
  readonly road: SlowLink;
  readonly random: Random;
  /** Ends the app's process; it is started anew by whoever calls. */
  readonly kill: () => Promise<void>;
}

/** Does it now; settles once the link is whole again. */
export async function makeTrouble(
  trouble: Trouble,
  { road, random, kill }: TroubleOptions,
): Promise<void> {
  switch (trouble) {
    case 'rst':
    case 'fin':
      // Some attempts to connect again are refused at first.
      await road.listen(false);
      await road.cut(trouble);
      await setTimeout(random(0, 1500));
      await road.listen(true);
      return;
    case 'freeze':
    case 'nap':
      await road.freeze();
      await setTimeout(trouble === 'freeze' ? NOTICED_MS : random(100, 3000));
      await road.thaw();
      return;
    case 'kill':
      await kill();
  }
}
