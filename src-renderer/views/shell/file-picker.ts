import type { AppState } from '../../state/app.svelte.ts';

/** Asks for trace files: with the system's dialog where the host has one, else with the browser's. */
export function createFilePicker(app: AppState): (copy?: boolean) => void {
  return (copy) => {
    if (app.about?.fileDialog) {
      void app.opener.choose(copy);
      return;
    }
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.onchange = () => openFiles(app, [...(input.files ?? [])], copy);
    input.click();
  };
}

/** One file is opened; several are added to the library, which is then shown. */
export function openFiles(app: AppState, files: readonly File[], copy?: boolean): void {
  const [only] = files;
  if (files.length === 1 && only !== undefined) void app.opener.openFile(only, copy);
  else if (files.length > 1) {
    app.investigation.close();
    void app.imports.add(files, copy);
  }
}
