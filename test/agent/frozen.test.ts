import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isFrozen } from '../../src-main/shared/model/task-state.ts';
import { expectWhole, record } from '../support/agent/agent.ts';
import { standIn } from '../support/agent/agent-run.ts';
import { freezerGroup } from '../support/agent/freezer-group.ts';
import { describeWith } from '../support/requirements.ts';

const FROZEN_MS = 50;

describe.each([
  [1, 'freezerV1'],
  [2, 'freezerV2'],
] as const)('a control group of version %i that is frozen', (version, requirement) => {
  describeWith(['agent', 'bpf', requirement], 'while it is recorded', () => {
    test('is told by the state of its threads, for as long as they stood still', async () => {
      const group = freezerGroup(version);
      onTestFinished(() => group.remove());
      let frozenNs = 0;
      const job = [...group.through, standIn('spin'), '1', '-1', 'frozen'];
      const recording = await record(job, {
        meanwhile: async () => {
          while (!group.names().includes('frozen')) await pause(5);
          group.freeze();
          while (!group.isFrozen()) await pause(1);
          const begin = process.hrtime.bigint();
          await pause(FROZEN_MS);
          frozenNs = Number(process.hrtime.bigint() - begin);
          group.thaw();
        },
      });
      expect(recording.code, recording.stderr).toBe(0);
      const { threads, tables } = expectWhole(recording);
      const { thread, state, durationNs } = tables.off_cpu.columns;
      const stops = Array.from(thread.keys()).filter(
        (row) => threads[thread[row]]?.name === 'frozen' && isFrozen(state?.[row] ?? -1),
      );
      expect(stops.length).toBeGreaterThan(0);
      const longestNs = Math.max(...stops.map((row) => durationNs[row]));
      expect(longestNs).toBeGreaterThanOrEqual(frozenNs);
    });
  });
});
