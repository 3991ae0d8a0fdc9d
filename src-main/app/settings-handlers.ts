import { fail, ok } from '../shared/result.ts';
import type { AreaHandlers, Services } from './services.ts';

type Later = 'settings.dataFolder' | 'settings.moveDataFolder';

export function settingsHandlers({
  library,
  platform,
  emit,
}: Services): Omit<AreaHandlers<'settings'>, Later> {
  return {
    'settings.get': () => library.call('settings', {}),
    async 'settings.change'({ changes }) {
      const changed = await library.call('changeSettings', { changes });
      if (changed.ok) emit('settings.changed', changed.value);
      return changed;
    },
    async 'settings.chooseFolder'() {
      if (platform.chooseFolder === undefined) {
        return fail('no-dialog', 'This host has no folder dialog: type the path of the folder.');
      }
      return ok(await platform.chooseFolder());
    },
  };
}
