/** Serves sources and tests with the names shortened that the script tag's files shorten, by the same tool. */
import type { TestRunnerPlugin } from '@web/test-runner';
import { minify } from 'terser';
import { internalNames } from './internal-names.js';

/** Shortens a name in every file alike. */
export function shortNames(): TestRunnerPlugin {
  const names = internalNames();
  const properties = { regex: new RegExp(`^(?:${names.join('|')})$`) };
  const short = Object.fromEntries(names.map((name, index) => [`$${name}`, `_${index}`]));
  return {
    name: 'short-names',
    async transform({ path, body }) {
      if (!/^\/(src|test)\/.*\.ts$/.test(path)) return undefined;
      const { code } = await minify(String(body), {
        module: true,
        compress: false,
        mangle: { properties },
        nameCache: { props: { props: { ...short } } },
      });
      return { body: code ?? '' };
    },
  };
}
