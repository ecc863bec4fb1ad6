/** Looks for accessibility faults in a page, shadow roots included, with axe. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'puppeteer-core';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * One line per fault: rule, what it wants, where. Axe comes in through the debugger, so a page's policy neither hinders
 * it nor reports it.
 * @param selector the part of the page to look at
 */
export async function findAxeFaults(page: Page, selector = 'body'): Promise<string[]> {
  await page.evaluate(await source);
  const results = (await page.evaluate(`axe.run(${JSON.stringify(selector)})`)) as AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${target.flat().join(' ')})`),
  );
}
