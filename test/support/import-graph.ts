/**
 * Reads which module imports which, from source text: static and dynamic imports, re-exports, and types.
 *
 * Owns the reading only; knows no rule about who may import whom (import-rules.ts).
 */
import { posix } from 'node:path';
import { parseSync, Visitor } from 'vite';

/** One import of a module. */
export interface Import {
  /** Path of the importing module inside the repository, with forward slashes. */
  readonly from: string;
  /** For a relative import the path of the imported file (.ts, if a .ts file imports it), else the specifier. */
  readonly to: string;
  /** Whether nothing of it is left when the code runs. */
  readonly isType: boolean;
}

/** Reads every import of a set of modules, given as path and source text. */
export function readImports(modules: ReadonlyMap<string, string>): Import[] {
  return [...modules].flatMap(([from, source]) =>
    readSpecifiers(from, source).map(({ specifier, isType }) => ({
      from,
      to: specifier.startsWith('.') ? resolveRelative(from, specifier) : specifier,
      isType,
    })),
  );
}

/** Every module that can be reached from one, itself included, through imports that `follow` accepts. */
export function reachableFrom(
  start: string,
  imports: readonly Import[],
  follow: (edge: Import) => boolean = () => true,
): Set<string> {
  const reached = new Set([start]);
  // A set also visits what is added while it is walked.
  for (const module of reached) {
    for (const edge of imports) {
      if (edge.from === module && follow(edge)) reached.add(edge.to);
    }
  }
  return reached;
}

function resolveRelative(from: string, specifier: string): string {
  const path = posix.join(posix.dirname(from), specifier);
  return from.endsWith('.ts') ? path.replace(/\.js$/, '.ts') : path;
}

function readSpecifiers(path: string, source: string): { specifier: string; isType: boolean }[] {
  const { module, program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed`);
  const isTypeStatement = (start: number) => /^(import|export)\s+type\b/.test(source.slice(start));
  const found = module.staticImports.map(({ start, moduleRequest }) => ({
    specifier: moduleRequest.value,
    isType: isTypeStatement(start),
  }));
  for (const { start, entries } of module.staticExports) {
    const specifier = entries[0]?.moduleRequest?.value;
    if (specifier !== undefined) found.push({ specifier, isType: isTypeStatement(start) });
  }
  new Visitor({
    ImportExpression(node) {
      // A computed import has no name to check, so its text stands for it and matches no rule.
      const computed = source.slice(node.source.start, node.source.end);
      const specifier = node.source.type === 'Literal' ? String(node.source.value) : computed;
      found.push({ specifier, isType: false });
    },
    TSImportType(node) {
      found.push({ specifier: node.source.value, isType: true });
    },
  }).visit(program);
  return found;
}
