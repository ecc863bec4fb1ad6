/**
 * The files for GitHub, which cannot run here: held against the types that are made from their published schemas. Of an issue
 * form these say nothing about its fields: a small check of our own does.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { parse } from 'yaml';
import { root, runTool } from './tools/tools.js';

const workflow = ['github-workflow', 'HttpsJsonSchemastoreOrgGithubWorkflowJson'] as const;
const form = ['github-issue-forms', 'GitHubIssueFormsConfigFileSchema'] as const;

/** Each file, and the package and the name of its type. */
const files: Readonly<Record<string, readonly [string, string]>> = {
  'workflows/ci.yml': workflow,
  'workflows/release.yml': workflow,
  'dependabot.yml': ['dependabot-2.0', 'GitHubDependabotV2Config'],
  'ISSUE_TEMPLATE/bug.yml': form,
  'ISSUE_TEMPLATE/question.yml': form,
  'ISSUE_TEMPLATE/config.yml': [
    'github-issue-config',
    'GitHubIssueTemplateChooserConfigFileSchema',
  ],
};

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const read = (path: string) => parse(readFileSync(join(root, '.github', path), 'utf8')) as object;

describe('the files for GitHub', () => {
  it('are as their schemas say, all of them', async () => {
    const there = (readdirSync(join(root, '.github'), { recursive: true }) as string[])
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.yml'));
    assert.deepEqual(there.toSorted(), Object.keys(files).toSorted());
    assert.equal(await compile(Object.keys(files).map((path) => [path, read(path)])), '');
  });

  it('would be told of, if they were not', async () => {
    const faulty: [string, object][] = [
      ['workflows/ci.yml', { ...read('workflows/ci.yml'), permission: {} }],
      ['dependabot.yml', { version: 2, updates: [{ 'package-ecosystem': 'npm' }] }],
      ['ISSUE_TEMPLATE/bug.yml', { name: 'Bug', body: [] }],
    ];
    const output = await compile(faulty);
    for (const at of faulty.keys()) assert.match(output, new RegExp(`file-${at}\\.ts.*error`));
  });

  it('ask in forms for what can be answered', () => {
    for (const path of ['ISSUE_TEMPLATE/bug.yml', 'ISSUE_TEMPLATE/question.yml']) {
      const { body } = read(path) as { body: Field[] };
      const asked = body.filter(({ type }) => type !== 'markdown');
      assert.ok(asked.every(({ type }) => ['input', 'textarea'].includes(type)));
      assert.ok(asked.every(({ id, attributes }) => /^\w+$/.test(id ?? '') && attributes['label']));
      assert.equal(new Set(asked.map(({ id }) => id)).size, asked.length);
    }
  });

  it('name the commands, folders and Nodes that there are', () => {
    const { jobs } = read('workflows/ci.yml') as {
      jobs: {
        test: { strategy: { matrix: { node: string[] } }; steps: { run?: string }[] };
        container: { steps: { run?: string }[] };
      };
    };
    assert.equal(jobs.test.steps.at(-1)?.run, '.ci/run');
    assert.equal(jobs.container.steps.at(-1)?.run, 'npm run container');
    const { engines, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
      scripts: Record<string, string>;
    };
    assert.ok(scripts['container']);
    const promised = [...engines.node.matchAll(/\b(\d\d)\.\d/g)].map(([, line]) => line);
    assert.deepEqual(jobs.test.strategy.matrix.node, promised);
    const { updates } = read('dependabot.yml') as { updates: { directories?: string[] }[] };
    for (const folder of updates.flatMap(({ directories = [] }) => directories)) {
      readFileSync(join(root, folder, 'package-lock.json'));
    }
  });
});

/** Compiles each value as of its file's type. @returns what the compiler says */
async function compile(values: readonly (readonly [string, object])[]): Promise<string> {
  // Below this repository, so that the compiler finds the packages.
  mkdirSync(join(root, 'test/output'), { recursive: true });
  const folder = mkdtempSync(join(root, 'test/output/github-'));
  try {
    for (const [at, [path, value]] of values.entries()) {
      const [name, type] = files[path] ?? [];
      const source = `import type { ${type} as File } from '@schemastore/${name}';\nexport const file: File = ${JSON.stringify(value)};\n`;
      writeFileSync(join(folder, `file-${at}.ts`), source);
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'ESNext',
      moduleResolution: 'Bundler',
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    return (await runTool('tsc', ['-p', folder, '--pretty', 'false'])).output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
