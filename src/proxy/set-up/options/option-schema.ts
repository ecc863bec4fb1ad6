/**
 * The building blocks of the options' schema, in zod. The message of each says what an option must be, and never quotes a
 * value.
 */

import * as z from 'zod/mini';

/** One of these words; the first is the default. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z._default(z.enum(words, `must be ${words.join(' or ')}`), () => words[0] as Words[number]);

export const onOrOff = (fallback: boolean) =>
  z._default(z.boolean('must be true or false'), fallback);

/** A whole number from `min` to `max`. */
export const integer = (fallback: number, min: number, max: number) =>
  z._default(whole(min, max, `must be a whole number from ${min} to ${max}`), fallback);

export const whole = (min: number, max: number, must: string) =>
  z.int(must).check(z.minimum(min, must), z.maximum(max, must));

export const text = z.string('must be a text').check(z.minLength(1, 'must be a text'));

export const func = <T>() =>
  z.custom<T>((given) => typeof given === 'function', 'must be a function');

/** Allows an option to be absent, and reads it as null then. */
export const orNull = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.optional(schema),
    z.transform((given): z.output<Schema> | null => given ?? null),
  );

/** An object with these keys and no others. If it is absent, the defaults of its keys apply. */
export const group = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.prefault(
    z.strictObject(shape, `must be an object with ${Object.keys(shape).join(', ')}`),
    {} as never,
  );

/** Reads a value by one of our functions, which throws a `TypeError` whose message begins with the option's name. */
export const readBy = <T>(read: (option: string, value: unknown) => T) =>
  z.pipe(
    z.unknown(),
    z.transform((value, { issues }): T => {
      try {
        return read('', value);
      } catch (thrown) {
        if (!(thrown instanceof TypeError)) throw thrown;
        issues.push({ code: 'custom', message: thrown.message.trim(), input: undefined });
        return z.NEVER;
      }
    }),
  );

/**
 * Reads all options. @throws TypeError with a line for each option that is wrong or unknown: its name, and what it must be
 */
export function readAll<Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  given: unknown,
): z.output<typeof schema> {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  throw new TypeError(
    [...new Set(error.issues.flatMap((issue) => toLines(issue, Object.keys(schema.shape))))].join(
      '\n',
    ),
  );
}

/** Writes the faults, a line for each option. @param names of all options, to suggest the name that was meant */
function toLines(issue: z.core.$ZodIssue, names: readonly string[]): string[] {
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const name = path.join('').slice(1);
  if (issue.code === 'unrecognized_keys') {
    // A key may be any text. JSON keeps it on one line.
    const keys = issue.keys.map((key) => JSON.stringify(key).slice(1, -1));
    return keys.map((key) => {
      const meant = names.find((one) => one.toLowerCase() === key.toLowerCase());
      const advice = !name && meant ? `: is ${meant} meant?` : '';
      return `${name && `${name}.`}${key} is not an option${advice}`;
    });
  }
  return [`${name || 'options'}${issue.message.startsWith('[') ? '' : ' '}${issue.message}`];
}
