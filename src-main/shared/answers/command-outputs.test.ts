import fc from 'fast-check';
import { expect, test } from 'vitest';
import { saysTheSame } from './command-outputs.ts';

const of = (options: string) => `python train.py --lr 0.1 ${options}`;

test.each([
  ['--output_dir runs/a', '--output_dir runs/b'],
  ['--output-dir=first', '--output-dir=second'],
  ['--outdir a --logdir a/log', '--outdir b --logdir b/log'],
  ['--save_dir 2026-11-30_18-07-41', '--save_dir 2026-12-01_09-00-00'],
  ['--save_to 20261130', '--save_to 20261201'],
  ['--out a/model.pt', '--out b/model.pt'],
  ['--out first.log', '--out second.log'],
  ['--save /data/one', '--save /data/two'],
  ['-o C:\\runs\\a', '-o C:\\runs\\b'],
  ['--logging_dir läufe/eins', '--logging_dir läufe/zwei'],
  ['--run_name baseline', '--run_name mended'],
  ['--wandb-run-name=12', '--wandb-run-name=13'],
  ['--timestamp 20261130-180741', '--timestamp 20261201-090000'],
  ['hydra.run.dir=outputs/2026-11-30/18-07-41', 'hydra.run.dir=outputs/2026-12-01/09-00-00'],
  ['--resume', '--resume'],
])('where a job writes and what its run is called are no setting: %s, %s', (first, second) => {
  expect(saysTheSame(of(first), of(second))).toBe(true);
  expect(saysTheSame(of(second), of(first))).toBe(true);
});

test.each([
  // Options that are no output, though their values are paths or dates.
  ['--data_dir runs/a', '--data_dir runs/b'],
  ['--resume runs/a/last.pt', '--resume runs/b/last.pt'],
  ['--checkpoint_dir runs/a', '--checkpoint_dir runs/b'],
  ['--load_output_dir runs/a', '--load_output_dir runs/b'],
  ['--start_date 2026-01-01', '--start_date 2026-02-01'],
  ['--name resnet18', '--name resnet50'],
  ['--experiment small', '--experiment large'],
  ['-O a/x', '-O b/x'],
  ['runs/a', 'runs/b'],
  ['out=runs/a', 'out=runs/b'],
  // Outputs by name, with values that say something else.
  ['--save_steps 100', '--save_steps 1000'],
  ['--save 100', '--save 1000'],
  ['--save true', '--save false'],
  ['--save_path none', '--save_path runs/a'],
  ['--out bf16', '--out fp32'],
  ['-o configs/adam.yaml', '-o configs/sgd.yaml'],
  ['-o Optimizer.lr=0.1', '-o Optimizer.lr=0.2'],
  ['--output_dir runs/a', '--output_dir s3://bucket/a'],
  ['--log_file run.log', '--log_file /dev/null'],
  ['--run_name seed1', '--run_name seed2'],
  ['--timestamp now', '--timestamp later'],
  ['--out runs/a;--model', '--out runs/b;--model'],
  ['--out "runs/a', '--out "runs/b'],
  ['--out $(pick_a)', '--out $(pick_b)'],
  // More than the output.
  ['--output_dir runs/a', '--output_dir runs/b --compile'],
  ['--output_dir runs/a --model s', '--output_dir runs/b --model l'],
  ['--output_dir runs/a', '--logdir runs/a'],
  ['--output_dir --bf16', '--output_dir --fp16'],
  ['--run_name a b', '--run_name a c'],
  ['--output_dir=a', '--output_dir b'],
])('any other difference is one: %s, %s', (first, second) => {
  expect(saysTheSame(of(first), of(second))).toBe(false);
  expect(saysTheSame(of(second), of(first))).toBe(false);
});

test('an option beside the output is never left out of account, whatever it is called', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [first, second] = [one, other].map((word) => word.replace(/\s/g, '_'));
      fc.pre(first !== second && first !== '' && second !== '');
      const command = (word: string, out: string) => of(`--out runs/${out} --model ${word}`);
      expect(saysTheSame(command(first, 'a'), command(second, 'b'))).toBe(false);
      expect(saysTheSame(command(first, 'a'), command(first, 'b'))).toBe(true);
    }),
  );
});
