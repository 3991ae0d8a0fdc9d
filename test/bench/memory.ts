import { launchChromium } from '../support/page/chromium.ts';
import { rowsSettled } from '../support/page/timeline-page.ts';
import { turnWheel } from './measure/frames.ts';
import { countRange, findFirst, hovers } from './measure/interactions.ts';
import { sizes } from './measure/sizes.ts';
import { tellMemory } from './measure/tell-memory.ts';
import { showEvents, withTimeline } from './measure/timeline-app.ts';

/**
 * What an open trace takes after it was worked with on its timeline: as timeline-scale tells it, without frames and peers,
 * so that it is told in a minute or two.
 */

const browser = await launchChromium();
try {
  for (const events of sizes())
    await withTimeline(browser, events, async (app) => {
      const { page } = app;
      await rowsSettled(page);
      await showEvents(page, events);
      await turnWheel(page, 'zoom');
      await showEvents(page, events);
      await hovers(page);
      await countRange(page, 0.1, 0.6);
      await findFirst(page, 'name:cudaMemcpyAsync');
      await findFirst(page, 'dur>100ms');
      await tellMemory(events, app);
    });
} finally {
  await browser.close();
}
