/**
 * Measures rooms: files, lines of code, and the length of functions. The limits stand in rooms.test.ts.
 */
import { posix } from 'node:path';
import { parseSync, Visitor } from 'vite';

/** A folder, without its subfolders. */
export interface RoomSize {
  readonly folder: string;
  readonly files: number;
  /** Lines of code. */
  readonly lines: number;
}

/** A function and its own lines: nested functions, blank lines and comments do not count. */
export interface FunctionSize {
  readonly at: string;
  readonly lines: number;
}

/** Sizes of all folders, given files as path and source text. */
export function measureRooms(modules: ReadonlyMap<string, string>): RoomSize[] {
  const folders = [...new Set([...modules.keys()].map((path) => posix.dirname(path)))].toSorted();
  return folders.map((folder) => {
    const own = [...modules].filter(([path]) => posix.dirname(path) === folder);
    const lines = own.reduce((sum, [path, source]) => sum + countCode(path, source), 0);
    return { folder, files: own.length, lines };
  });
}

/** Lines of a text that ends with a line break. */
export function countLines(source: string): number {
  return source.split('\n').length - 1;
}

/** Lines that hold code: no blank ones, and none that only comments. */
function countCode(path: string, source: string): number {
  return markCode(source, parseSync(path, source)).filter(Boolean).length;
}

/** All functions of a file. */
export function measureFunctions(path: string, source: string): FunctionSize[] {
  const parsed = parseSync(path, source);
  const isCode = markCode(source, parsed);
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length - 1;
  const spans: { first: number; last: number }[] = [];
  const note = ({ start, end }: { start: number; end: number }) => {
    spans.push({ first: lineOf(start), last: lineOf(end) });
  };
  new Visitor({
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  }).visit(parsed.program);
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

/** For each line whether it holds code. */
function markCode(source: string, { comments }: ReturnType<typeof parseSync>): boolean[] {
  // Taken out from the end, so that what stands before keeps its place.
  const code = comments.reduceRight(
    (text, { start, end }) =>
      text.slice(0, start) + source.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end),
    source,
  );
  return code.split('\n').map((line) => line.trim() !== '');
}
