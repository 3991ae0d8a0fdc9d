import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { inputCell, loaderSamples } from '../facts/loader-work.ts';
import { optimisationGuide } from '../fixes/sources.ts';
import { judgeSampled } from '../judging/judge-samples.ts';
import { pythonSamples } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The workers' CPU time goes to transforms of images that a GPU does much faster. */
export const gpuAugment: Rule = { id: 'gpu-augment', needs: [pythonSamples], judge };

function judge(facts: RankFacts) {
  return judgeSampled(facts, {
    title: 'Transforms of images keep the workers busy',
    samples: loaderSamples(facts).transforms,
    where: 'in an image library’s transforms',
    claims: inputCell('worker', 'running'),
    fix: fix(),
  });
}

function fix(): Fix {
  return {
    title: 'Transform whole batches on the GPU',
    text: 'Load and crop in the workers, send bytes, and do the rest to the whole batch on the GPU: by hand as below, or with Kornia or DALI. Where transforms have to stay on the CPU, Albumentations is faster than torchvision. Moving them pays only while the GPU has time to spare.',
    before: `class Images(Dataset):
    def __len__(self):
        return len(images)

    def __getitem__(self, index):
        image = images[index].float() / 255
        if torch.rand(()) < 0.5:
            image = image.flip(-1)
        return (image - 0.5) / 0.25

loader = DataLoader(Images(), batch_size=batch_size, num_workers=num_workers)`,
    after: `def augment(batch):
    batch = batch.to(device, non_blocking=True).float() / 255
    flip = torch.rand(len(batch), device=device) < 0.5
    batch[flip] = batch[flip].flip(-1)
    return (batch - 0.5) / 0.25

loader = DataLoader(images, batch_size=batch_size, num_workers=num_workers)
for batch in loader:
    batch = augment(batch)`,
    language: 'python',
    sources: [
      optimisationGuide(
        '3 to 5 times faster on the GPU, 2 to 4 times with DALI; Albumentations 2 to 3 times faster than torchvision',
      ),
    ],
  };
}
