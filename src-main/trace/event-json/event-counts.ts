import { cleanText } from '../../shared/text/text.ts';
import { formatCount } from '../../shared/text/units.ts';

/** How many kinds and categories are named; all that recorders write are fewer. */
const MAX_SHOWN = 16;

/** Counts the events of a file as it calls them, so that anybody can compare. */
export class EventCounts {
  readonly #byPhase = new Float64Array(256);
  readonly #byCategory = new Map<number, number>();

  /** `category`: a text's number, -1 = none. */
  add(phase: number, category: number): void {
    this.#byPhase[phase]++;
    if (phase === X) this.#byCategory.set(category, (this.#byCategory.get(category) ?? 0) + 1);
  }

  /** In one sentence; `texts`: the categories by number. */
  words(texts: readonly string[]): string {
    const phases = [...this.#byPhase.keys()]
      .filter((phase) => this.#byPhase[phase] > 0)
      .sort((a, b) => this.#byPhase[b] - this.#byPhase[a])
      .slice(0, MAX_SHOWN)
      .map((phase) => `${phaseName(phase)} ${formatCount(this.#byPhase[phase])}`);
    const categories = [...this.#byCategory]
      .map(([text, count]) => [texts[text] ?? 'none', count] as const)
      .sort((a, b) => b[1] - a[1])
      .slice(0, MAX_SHOWN)
      .map(([name, count]) => `${cleanText(name, 40)} ${formatCount(count)}`);
    const total = this.#byPhase.reduce((sum, count) => sum + count, 0);
    const of = categories.length === 0 ? '' : `; of X by category ${categories.join(', ')}`;
    return `The file has ${formatCount(total)} events: ${phases.join(', ')}${of}.`;
  }
}

const X = 'X'.charCodeAt(0);

function phaseName(phase: number): string {
  return phase > 0x20 && phase < 0x7f ? String.fromCharCode(phase) : 'without a kind';
}
