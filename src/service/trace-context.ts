/** Trace context (W3C Trace Context, 2021): handed on as it came, or not at all. None is ever made here. */

/** The headers of a trace, as somebody sent them. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** Section 3.2: version 00, and no id of zeros. What a later version adds is not known, so it is not handed on. */
const traceparentPattern = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Section 3.3.1.3: a key, and a value of visible ASCII without a comma and an equals sign. */
const memberPattern =
  /^[\da-z][\da-z_\-*/]{0,240}(?:@[a-z][\da-z_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Section 3.3.1.1 and 3.3.1.5. */
const most = { members: 32, characters: 512 };

/** @returns the headers to send: none if `traceparent` is not one, and that one alone if `tracestate` is none */
export function toTraceHeaders(trace: TraceContext | undefined): Readonly<Record<string, string>> {
  if (trace === undefined || !traceparentPattern.test(trace.traceparent)) return {};
  const { traceparent, tracestate } = trace;
  return isTraceState(tracestate) ? { traceparent, tracestate } : { traceparent };
}

function isTraceState(text: string | undefined): text is string {
  if (text === undefined || text.length > most.characters) return false;
  const members = text.split(',').map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
  return members.length <= most.members && members.every((member) => memberPattern.test(member));
}
