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
    text: 'Load and crop in the workers, send bytes, and do the rest to the whole batch on the GPU: by hand as below, or with Kornia or DALI. Where transforms have to stay on the CPU, Albumentations is faster than torchvision. Keep the transforms that your dataset has, and draw what is random for each image; the numbers are drawn on the GPU then, so a seed gives others. Moving them pays only while the GPU has time to spare.',
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __len__(self):
        return len(your_images)

    def __getitem__(self, index):
        return your_transform(your_images[index].float() / 255)  # one image at a time

loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=your_num_workers)`,
    after: `def on_gpu(images):  # your own transforms, for a whole batch: these stand for them
    flips = torch.rand(len(images), 1, 1, 1, device=images.device) < 0.5  # drawn for each image
    images = torch.where(flips, images.flip(-1), images)
    return (images - your_mean) / your_std

loader = DataLoader(your_raw_images, batch_size=your_batch_size, num_workers=your_num_workers, **your_options)
for images in loader:  # bytes, as they were loaded
    images = on_gpu(images.to(your_device, non_blocking=True).float() / 255)`,
    language: 'python',
    sources: [
      optimisationGuide(
        '3 to 5 times faster on the GPU, 2 to 4 times with DALI; Albumentations 2 to 3 times faster than torchvision',
      ),
    ],
  };
}
