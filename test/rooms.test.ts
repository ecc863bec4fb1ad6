/** The limits of the rooms of src/ and test/, and the table of their sizes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { describe, it } from 'vitest';
import { countLines, measureFunctions, measureRooms } from './support/rooms.js';
import { root } from './support/tools.js';

/** Most files in a folder; its README does not count. */
const mostFiles = 12;
/** Most folders below src/ on the way to a file. */
const mostLevels = 3;
/** Most lines of a file whose header does not say why it is longer. */
const mostLines = 300;
/** Most lines of a function's own. */
const mostFunctionLines = 40;
/** Most lines of a room's README, and of the one at the top. */
const mostDoorLines = 120;
const mostFrontDoorLines = 150;
/** Names that mean the same in every folder: a language, and the entry of a package beside its root. */
const sharedNames = /^(en|es|pt-br)\.ts$|^src\/[\w-]+\.ts$/;

describe('rooms', () => {
  const modules = readSources('src');
  const rooms = measureRooms(modules);

  it('are printed', () => {
    for (const { folder, files, lines } of rooms) {
      console.log(`${folder}: ${files} files, ${lines} lines of code`);
    }
    assert.ok(rooms.length > 20);
  });

  it(`hold at most ${mostFiles} files, ${mostLevels} levels deep`, () => {
    const full = rooms.filter(({ files }) => files > mostFiles).map(({ folder }) => folder);
    const deep = rooms
      .map(({ folder }) => folder)
      .filter((f) => f.split('/').length - 1 > mostLevels);
    assert.deepEqual([...full, ...deep], []);
  });

  it(`of the tests hold at most ${mostFiles} files`, () => {
    // Pictures stand side by side, one for each screen.
    const full = listFolders('test')
      .filter(({ folder, files }) => files > mostFiles && folder !== 'test/gallery/screenshots')
      .map(({ folder, files }) => `${folder}: ${files}`);
    assert.deepEqual(full, []);
  });

  it('hold no two files of one name with two meanings', () => {
    const paths = [...modules.keys()].filter(
      (path) => !sharedNames.test(path) && !sharedNames.test(basename(path)),
    );
    const twice = paths.filter((path) =>
      paths.some((other) => other !== path && basename(other) === basename(path)),
    );
    assert.deepEqual(twice, []);
  });

  it(`hold no file over ${mostLines} lines but those whose header says why`, () => {
    const long = [...modules]
      .filter(([, source]) => countLines(source) > mostLines)
      .filter(
        ([, source]) =>
          !/\b(long|lines|one file|one place)\b/i.test(source.slice(0, source.indexOf('*/'))),
      )
      .map(([path]) => path);
    assert.deepEqual(long, []);
  });

  it(`hold no function over ${mostFunctionLines} lines`, () => {
    const long = [...modules]
      .flatMap(([path, source]) => measureFunctions(path, source))
      .filter(({ lines }) => lines > mostFunctionLines);
    assert.deepEqual(long, []);
  });

  it('have a README at their door', () => {
    const doors = [...rooms.map(({ folder }) => folder).filter((f) => f !== 'src'), 'demo'].filter(
      // A folder inside a room shares its room's door.
      (folder) =>
        !/\/(views|locales|screens|parts|form)$|^src\/domain\/card$/.test(folder) ||
        /^src\/checkout\/(views|locales)$/.test(folder),
    );
    const missing = doors.filter((folder) => !existsSync(join(root, folder, 'README.md')));
    assert.deepEqual(missing, []);
    const long = doors.filter((folder) => countLines(readDoor(folder)) > mostDoorLines);
    assert.deepEqual(long, []);
    assert.ok(countLines(readDoor('.')) <= mostFrontDoorLines);
  });
});

function readDoor(folder: string): string {
  return readFileSync(join(root, folder, 'README.md'), 'utf8');
}

function readSources(folder: 'src'): Map<string, string> {
  const paths = readdirSync(join(root, folder), { recursive: true }) as string[];
  return new Map(
    paths
      .filter((path) => path.endsWith('.ts') && !path.startsWith('output'))
      .map((path) => [`${folder}/${path}`, readFileSync(join(root, folder, path), 'utf8')]),
  );
}

/** Each folder, and how many files it holds beside its README. */
function listFolders(top: string) {
  const files = readdirSync(join(root, top), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ parentPath }) => relative(root, parentPath))
    .filter((folder) => !folder.startsWith('test/output'));
  return [...new Set(files)].map((folder) => ({
    folder,
    files: files.filter((other) => other === folder).length,
  }));
}
