/** The order of files: those that take long begin first, so that none of them runs alone at the end, beside an idle core. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../tools.js';
import { longest } from './tiers.js';

/** Vitest's own order for the others: by the time they took before, or by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method, not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.indexOf(moduleId.slice(root.length + 1));
  return place < 0 ? longest.length : place;
}
