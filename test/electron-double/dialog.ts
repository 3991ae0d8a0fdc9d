import { requireReady } from './strict.ts';

/** Answers the test wrote beforehand; a dialog nobody expected fails. */
const answers: { method: string; answer: unknown }[] = [];
const shown: { method: string; options: unknown }[] = [];

export function scriptDialog(method: string, answer: unknown): void {
  answers.push({ method, answer });
}

export function shownDialogs(): readonly { method: string; options: unknown }[] {
  return shown;
}

function take(method: string, args: readonly unknown[]): unknown {
  const options = args.at(-1);
  shown.push({ method, options });
  const index = answers.findIndex((entry) => entry.method === method);
  if (index < 0) throw new Error(`electron double: nobody scripted ${method}`);
  return answers.splice(index, 1)[0]?.answer;
}

export const dialogDouble = {
  async showOpenDialog(...args: unknown[]): Promise<unknown> {
    requireReady('dialog.showOpenDialog');
    return take('showOpenDialog', args);
  },
  async showSaveDialog(...args: unknown[]): Promise<unknown> {
    requireReady('dialog.showSaveDialog');
    return take('showSaveDialog', args);
  },
  async showMessageBox(...args: unknown[]): Promise<unknown> {
    requireReady('dialog.showMessageBox');
    return take('showMessageBox', args);
  },
  /** The one dialog Electron shows before ready too. */
  showErrorBox(title: string, content: string): void {
    take('showErrorBox', [{ title, content }]);
  },
};
