import type { Progress } from '../../shared/rpc/rpc.ts';
import { lowerFirst } from '../../shared/text/text.ts';
import { formatShare } from '../../shared/text/units.ts';

/** How far the reading of one run is told. */
interface RunProgress {
  progress(progress: Progress): void;
  end(): void;
}

/** How far so many runs are together, some of them read at once: `Run 1 of 2: reading calls (40 %) · Run 2 of 2: …`. */
export function progressOfRuns(
  count: number,
  tell: (progress: Progress) => void,
): (at: number) => RunProgress {
  /** Of those that are read now, in the order of the runs. */
  const reading = new Map<number, Progress>();
  let ended = 0;
  const tellAll = () => {
    const now = [...reading].sort(([a], [b]) => a - b);
    const text = now
      .map(([at, part]) => `Run ${at + 1} of ${count}: ${partText(part, now.length > 1)}`)
      .join(' · ');
    const fractions = now.map(([, { fraction }]) => fraction);
    const sum = fractions.reduce<number | undefined>(
      (all, each) => (all === undefined || each === undefined ? undefined : all + each),
      ended,
    );
    tell({ text, ...(sum !== undefined && { fraction: sum / count }) });
  };
  return (at) => ({
    progress(part) {
      reading.set(at, part);
      tellAll();
    },
    end() {
      ended++;
      reading.delete(at);
      if (reading.size > 0) tellAll();
    },
  });
}

/** Of several bars that are one, each is told by its own figure. */
function partText({ text, fraction }: Progress, isBesideOthers: boolean): string {
  const share = isBesideOthers && fraction !== undefined ? ` (${formatShare(fraction, 1)})` : '';
  return `${lowerFirst(text)}${share}`;
}
