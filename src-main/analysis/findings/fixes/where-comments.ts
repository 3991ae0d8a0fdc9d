import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { LoaderCode } from '../facts/loader-code.ts';
import { loaderOptions } from './snippets.ts';

/** What of the job a fix is for: `place` as in Judgement, `title` what the finding is called. */
interface Where {
  readonly title: string;
  readonly place: string | undefined;
  readonly loader: Pick<LoaderCode, 'user' | 'workersArgument'>;
}

/** `fix` whose new code begins with what in the job it takes the place of, where the words above it do not say that. */
export function withWhere(fix: Fix, { title, place, loader }: Where): Fix {
  if (fix.after === '' || fix.language !== 'python') return fix;
  const isSaid = (text: string) => title.includes(text) || fix.title.includes(text);
  const comments = [
    place === undefined || isSaid(place) ? '' : `In ${place}:`,
    isOfLoader(fix) && loader.user !== undefined && place === undefined && !isSaid(loader.user)
      ? `Replaces the loader that ${loader.user} goes through.`
      : '',
    changesWorkers(fix) && loader.workersArgument !== undefined
      ? `Replaces ${loader.workersArgument}.`
      : '',
  ].filter(Boolean);
  return { ...fix, after: [...comments.map((text) => `# ${text}`), fix.after].join('\n') };
}

function isOfLoader({ before, after }: Fix): boolean {
  return before.includes('loader = DataLoader(') && after.includes('DataLoader(');
}

function changesWorkers({ before, after }: Fix): boolean {
  const [was, is] = [before, after].map((code) => loaderOptions(code)?.get('num_workers'));
  return is !== undefined && was !== undefined && was !== is;
}
