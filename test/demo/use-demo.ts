/** A demo in a browser, for the tests of a suite. Knows nothing of what it shows. */
import { afterAll } from 'vitest';
import { startDemo } from '../../demo/server.js';
import { useContext } from '../support/browser/contexts.js';

/** Starts a demo, and a page that reports what breaks its policy. */
export async function useDemo(options?: Parameters<typeof startDemo>[0]) {
  const demo = await startDemo({ port: 0, ...options });
  afterAll(() => demo.close());
  const context = await useContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.setViewport({ width: 1280, height: 900 });
  const violations: string[] = [];
  page.on('pageerror', (error) => violations.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy|trusted/i.test(message.text())) violations.push(message.text());
  });
  return { demo, context, page, violations };
}
