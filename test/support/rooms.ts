/**
 * Measures the rooms of src/: files, lines, arrows to other rooms, and the length of functions.
 *
 * Owns the measuring; the limits stand in rooms.test.ts.
 */
import { posix } from 'node:path';
import { parseSync, Visitor } from 'vite';
import { readImports } from './import-graph.js';

/** A folder of src/, without its subfolders. */
export interface RoomSize {
  readonly folder: string;
  readonly files: number;
  readonly lines: number;
  /** Other folders of src/ that its files import. */
  readonly arrows: readonly string[];
}

/** A function and its own lines: nested functions, blank lines and comments do not count. */
export interface FunctionSize {
  readonly at: string;
  readonly lines: number;
}

/** Sizes of all folders, given files as path and source text. */
export function measureRooms(modules: ReadonlyMap<string, string>): RoomSize[] {
  const imports = readImports(modules);
  const folders = [...new Set([...modules.keys()].map((path) => posix.dirname(path)))].toSorted();
  return folders.map((folder) => {
    const own = [...modules].filter(([path]) => posix.dirname(path) === folder);
    const arrows = imports
      .filter(({ from, to }) => posix.dirname(from) === folder && to.startsWith('src/'))
      .map(({ to }) => posix.dirname(to))
      .filter((to) => to !== folder);
    return {
      folder,
      files: own.length,
      lines: own.reduce((sum, [, source]) => sum + countLines(source), 0),
      arrows: [...new Set(arrows)].toSorted(),
    };
  });
}

/** Lines of a text that ends with a line break. */
export function countLines(source: string): number {
  return source.split('\n').length - 1;
}

/** All functions of a file. */
export function measureFunctions(path: string, source: string): FunctionSize[] {
  const { program, comments } = parseSync(path, source);
  const isCode = source.split('\n').map((line) => line.trim() !== '');
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length - 1;
  for (const { start, end } of comments) {
    for (let line = lineOf(start); line <= lineOf(end); line += 1) {
      const text = source.split('\n')[line]?.trim() ?? '';
      if (/^(\/\/|\/\*|\*)/.test(text)) isCode[line] = false;
    }
  }
  const spans: { first: number; last: number }[] = [];
  const note = ({ start, end }: { start: number; end: number }) => {
    spans.push({ first: lineOf(start), last: lineOf(end) });
  };
  new Visitor({
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  }).visit(program);
  return spans.map((span) => {
    const nested = spans.filter(
      (other) =>
        other !== span &&
        other.first >= span.first &&
        other.last <= span.last &&
        // One on the same line as its outer function hides nothing of it.
        other.last > other.first,
    );
    let lines = 0;
    for (let line = span.first; line <= span.last; line += 1) {
      const isNested = nested.some(({ first, last }) => line >= first && line <= last);
      if (isCode[line] === true && !isNested) lines += 1;
    }
    return { at: `${path}:${span.first + 1}`, lines };
  });
}
