/** What a test compares of rows that hold more. */

/** One column. */
export const column = <Row, Name extends keyof Row>(rows: Iterable<Row>, name: Name) =>
  Array.from(rows, (row) => row[name]);

/** Some columns, row by row. */
export const columns = <Row, Name extends keyof Row>(rows: Iterable<Row>, ...names: Name[]) =>
  Array.from(rows, (row) => names.map((name) => row[name]));

/** What stands between spaces. */
export const words = (text: string) => text.trim().split(/\s+/);
