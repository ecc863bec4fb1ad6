/**
 * What the gallery shows: which screens, in which languages, themes, widths. Chosen by the page's query, so that a
 * choice is a link. Knows nothing of how a frame is drawn.
 */

import type { Phase } from '../../src/index.js';

/** The values of each axis; the first is shown unless others are chosen. */
export const axes = {
  locale: ['pt-BR', 'en', 'es'],
  theme: ['light', 'dark'],
  /** Pixels. 240: the column of a blog, or a phone whose owner reads large text. */
  width: ['390', '240', '320', '768', '1000', '1280'],
  /** Per cent of the usual size. */
  text: ['100', '150', '200'],
  content: ['usual', 'long'],
  dir: ['ltr', 'rtl'],
} as const;

/** Name of an axis. */
export type Axis = keyof typeof axes;

/** One value of each axis. */
export type Look = { readonly [A in Axis]: (typeof axes)[A][number] };

/** What {@link framesOf} reads of a scenario. */
export interface Shown {
  readonly id: string;
  readonly label: string;
  readonly phase: Phase;
}

/** One picture: a scenario in one look. */
export interface Frame extends Look {
  readonly id: string;
  readonly label: string;
  readonly phase: Phase;
  readonly method: 'pix' | 'credit_card';
}

/** Which frames are chosen: several values of an axis stand side by side. */
export type Choice = { readonly [A in Axis]: readonly Look[A][] } & {
  /** Phases and methods; empty: all. */
  readonly phase: readonly string[];
  readonly method: readonly string[];
  /** Words that name, label or phase have to hold. */
  readonly find: string;
};

const axisNames = Object.keys(axes) as Axis[];

/** Reads the query: values apart by commas. What no axis has is left out. */
export function readChoice(query: URLSearchParams): Choice {
  const list = (name: string) => (query.get(name) ?? '').split(',').filter(Boolean);
  const chosen = axisNames.map((name) => {
    const known: readonly string[] = axes[name];
    const values = known.filter((value) => list(name).includes(value));
    return [name, values.length > 0 ? values : known.slice(0, 1)];
  });
  const rest = { phase: list('phase'), method: list('method'), find: query.get('find') ?? '' };
  return { ...Object.fromEntries(chosen), ...rest } as Choice;
}

/** The query that {@link readChoice} reads: only what differs from the beginning. */
export function toGalleryQuery(choice: Choice): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ['phase', 'method', ...axisNames] as const) {
    const first = name in axes ? axes[name as Axis][0] : '';
    const value = choice[name].join(',');
    if (value !== first) query.set(name, value);
  }
  if (choice.find !== '') query.set('find', choice.find);
  return query;
}

/** All chosen frames: scenario by scenario, its looks side by side. */
export function framesOf(choice: Choice, scenarios: readonly Shown[]): Frame[] {
  const words = choice.find.toLowerCase().split(/\s+/).filter(Boolean);
  return scenarios
    .map(({ id, label, phase }) => ({ id, label, phase, method: methodOf(id) }))
    .filter(({ phase }) => choice.phase.length === 0 || choice.phase.includes(phase))
    .filter(({ method }) => choice.method.length === 0 || choice.method.includes(method))
    .filter(({ id, label, phase }) => {
      const text = `${id} ${label} ${phase}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .flatMap((scenario) => looksOf(choice).map((look) => ({ ...scenario, ...look })));
}

/** A name for a file: the scenario, then what differs from the usual look. */
export function nameOf(frame: Look & Pick<Frame, 'id'>): string {
  const differing = axisNames.map((name) => frame[name]).filter((value, i) => value !== firstOf(i));
  return [frame.id, ...differing].join('.');
}

/** The frame of a name, as {@link nameOf} wrote it. @throws Error naming a part that no axis has */
export function toFrame(name: string, scenarios: readonly Shown[]): Frame {
  const [id, ...parts] = name.split('.');
  const scenario = scenarios.find((known) => known.id === id);
  if (!scenario) throw new Error(`There is no scenario ${id}`);
  const look: Record<string, string> = {};
  for (const axis of axisNames) look[axis] = axes[axis][0];
  for (const part of parts) {
    const axis = axisNames.find((one) => (axes[one] as readonly string[]).includes(part));
    if (!axis) throw new Error(`${name}: no axis has ${part}`);
    look[axis] = part;
  }
  const { label, phase } = scenario;
  return { id: scenario.id, label, phase, method: methodOf(scenario.id), ...(look as Look) };
}

function firstOf(index: number): string {
  return axes[axisNames[index]!][0];
}

function looksOf(choice: Choice): Look[] {
  let looks: Record<string, string>[] = [{}];
  for (const axis of axisNames) {
    looks = looks.flatMap((look) => choice[axis].map((value) => ({ ...look, [axis]: value })));
  }
  return looks as unknown as Look[];
}

function methodOf(id: string): Frame['method'] {
  return id.startsWith('card-') ? 'credit_card' : 'pix';
}
