import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { functionOf } from '../facts/culprit.ts';
import type { LoaderCode } from '../facts/loader-code.ts';
import { loaderOptions } from './snippets.ts';

/** What of the job a fix is for: `place` as in Judgement. */
interface Where {
  readonly place: string | undefined;
  readonly loader: LoaderCode;
}

/** `fix` whose new code begins with where in the job it goes, as far as the trace knows. */
export function withWhere(fix: Fix, { place, loader }: Where): Fix {
  if (fix.after === '' || fix.language !== 'python') return fix;
  const comments = [
    place === undefined ? '' : `For ${place}.`,
    fix.after.includes('DataLoader(') ? loaderText(loader, place) : '',
    changesWorkers(fix) && loader.workersArgument !== undefined
      ? `The job was started with ${loader.workersArgument}.`
      : '',
  ].filter(Boolean);
  return { ...fix, after: [...comments.map((text) => `# ${text}`), fix.after].join('\n') };
}

/** `The loader: train (train.py:109) takes its batches, and its dataset is Rows (train.py:52).` */
function loaderText({ user, item }: LoaderCode, place: string | undefined): string {
  const isOther = (one: string | undefined) =>
    one !== undefined && (place === undefined || functionOf(one) !== functionOf(place));
  const parts = [
    isOther(user) ? `${user} takes its batches` : '',
    isOther(item) ? `its dataset is ${item?.replace(/\.__\w+__ /, ' ')}` : '',
  ].filter(Boolean);
  return parts.length === 0 ? '' : `The loader: ${parts.join(', and ')}.`;
}

function changesWorkers({ before, after }: Fix): boolean {
  const [was, is] = [before, after].map((code) => loaderOptions(code)?.get('num_workers'));
  return is !== undefined && was !== undefined && was !== is;
}
