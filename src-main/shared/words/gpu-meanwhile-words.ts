import type { GpuMeanwhile, GpuMeanwhilePart } from '../answers/gpu-work.ts';
import { kernelBaseName } from '../text/kernel-name.ts';
import { cleanText } from '../text/text.ts';
import { formatCount, formatDuration } from '../text/units.ts';

/** What a GPU was at during a call. */
export const meanwhileLabels: Readonly<Record<GpuMeanwhilePart['kind'], string>> = {
  ahead: 'Earlier work, ahead of it',
  held: 'Other streams’ work, while its own stream’s had not begun',
  own: 'Its own work',
  beside: 'Other work of its process',
  others: 'Work of other processes',
  nothing: 'Nothing',
  unknown: 'Not recorded',
};

/** `What GPU 1 did meanwhile`. */
export const meanwhileTitle = (meanwhile: GpuMeanwhile) =>
  `What ${gpusOf(meanwhile)} did meanwhile`;

const gpusOf = ({ gpus }: GpuMeanwhile) =>
  listed((gpus ?? ['GPU']).map((label) => (label === 'GPU' ? 'the GPU' : label)));

/** `10 × gemm 9.355 ms, 2 × Memcpy HtoD 1.200 ms, and 4 more`: kernels by their base names. */
export function meanwhileNames({ names, count }: GpuMeanwhilePart): string {
  const named = [...Map.groupBy(names, brief)].map(([name, alike]) => {
    const ns = alike.reduce((sum, each) => sum + each.ns, 0);
    return `${formatCount(countOf(alike))} × ${name} ${formatDuration(ns)}`;
  });
  const more = count - countOf(names);
  return [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(', ');
}

const countOf = (names: GpuMeanwhilePart['names']) =>
  names.reduce((sum, each) => sum + each.count, 0);

/** The same in full, a line for each: `void at::native::reduce<4, float>(int)`. */
export function meanwhileFullNames({ names }: GpuMeanwhilePart): string {
  return names.map(({ name }) => cleanText(name)).join('\n');
}

/** Longest name of a kernel, in characters. */
const MAX_NAME = 80;

const brief = ({ name, gpu }: GpuMeanwhilePart['names'][number]) =>
  `${cleanText(kernelBaseName(name), MAX_NAME)}${gpu === undefined ? '' : ` on ${gpu}`}`;

/** Less than this of a call is not told in its headline. */
const TOLD_SHARE = 0.05;

/** `The GPU was busy with earlier work for 9.355 ms (10 × gemm) and with this call’s own work for 13.42 ms.` Empty where neither is much. */
export function meanwhileSentence(meanwhile: GpuMeanwhile): string {
  const { parts, gpus = [] } = meanwhile;
  const allNs = parts.reduce((sum, { ns }) => sum + ns, 0);
  const told = parts.flatMap((part) => {
    if (part.ns < allNs * TOLD_SHARE) return [];
    const [first] = part.names;
    const most =
      first === undefined
        ? ''
        : ` (${first.count < part.count ? 'most of it ' : ''}${formatCount(first.count)} × ${brief(first)})`;
    const time = formatDuration(part.ns);
    if (part.kind === 'ahead') return [`with earlier work for ${time}${most}`];
    if (part.kind === 'held')
      return [`with work of other streams for ${time}${most} while its own stream’s had not begun`];
    return part.kind === 'own' ? [`with this call’s own work for ${time}`] : [];
  });
  if (told.length === 0) return '';
  const who = gpusOf(meanwhile).replace(/^the/, 'The');
  return `${who} ${gpus.length > 1 ? 'were' : 'was'} busy ${listed(told)}.`;
}

const listed = (parts: readonly string[]) =>
  parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** What a copy's size over the time until its data was there is called. */
export const EFFECTIVE_RATE = 'Effective rate';

export function effectiveRateNote(ns: number): string {
  return `Over the ${formatDuration(ns)} from the call’s entry until the GPU had the data, waits for earlier work included.`;
}
