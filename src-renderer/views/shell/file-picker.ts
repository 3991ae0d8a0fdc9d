import type { AppState } from '../../state/app.svelte.ts';

/** Asks for a trace file: with the system's dialog where the host has one, else with the browser's. */
export function createFilePicker(app: AppState): () => void {
  return () => {
    if (app.about?.fileDialog) {
      void app.opener.choose();
      return;
    }
    const input = document.createElement('input');
    input.type = 'file';
    input.onchange = () => {
      const file = input.files?.[0];
      if (file !== undefined) void app.opener.openFile(file);
    };
    input.click();
  };
}
