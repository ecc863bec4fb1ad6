/** What every part of a history works with. Types only. */

import type { Chance } from './chance.js';
import type { Conditions } from './conditions.js';
import type { Timeline } from './timeline.js';
import type { Watch } from './rules/watch.js';

export interface World {
  readonly timeline: Timeline;
  readonly chance: Chance;
  /** What goes wrong now. */
  readonly conditions: () => Conditions;
  readonly watch: Watch;
  /** Writes a line of the event log. */
  readonly note: (line: string) => void;
}
