import { parse as parseQueryString } from 'node:querystring';
import { InvalidInput } from '../base/errors.ts';

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/; // RFC 8259 section 6

/** How a query parameter is parsed: as text, or as the JSON value that its schema requires. */
type Reading = 'text' | 'number' | 'boolean';

/**
 * A parameter of a route. The engine interns `name`, so looking up a value by `name` is faster than by a slice of the
 * query.
 */
interface Parameter {
  readonly name: string;
  readonly reading: Reading;
}

/**
 * Makes the parser of an operation's query string. Each parameter may occur once. Numbers follow the JSON grammar, and
 * booleans are `true` or `false`. Any other value remains text, which the schema then refuses. The parser throws
 * InvalidInput for a repeated parameter.
 */
export function queryReader(
  properties: Readonly<Record<string, unknown>>,
): (query: string) => Record<string, unknown> {
  const parameters = new Map(
    Object.entries(properties).map(([name, schema]): [string, Parameter] => {
      const { type } = schema as { type?: unknown };
      const isNumber = type === 'number' || type === 'integer';
      return [name, { name, reading: isNumber ? 'number' : type === 'boolean' ? 'boolean' : 'text' }];
    }),
  );
  return (query) => {
    const values = new Values();
    if (!PLAIN_QUERY.test(query)) return readEncoded(query, parameters, values);
    // This simple parser comes first, because the general parser takes as long as all other work for a short call.
    for (let from = 0; from < query.length;) {
      const next = query.indexOf('&', from);
      const to = next < 0 ? query.length : next;
      const sign = query.indexOf('=', from);
      const end = sign < 0 || sign > to ? to : sign;
      const parameter = parameters.get(query.slice(from, end));
      // The general parser reports unknown, empty and repeated parameters.
      if (parameter === undefined || values[parameter.name] !== undefined)
        return readEncoded(query, parameters, values);
      values[parameter.name] = readValue(query.slice(end + 1, to), parameter.reading);
      from = to + 1;
    }
    return values;
  };
}

/**
 * Constructor of an object without a prototype that maps names to values. Without a prototype, `__proto__` is a name
 * like any other. `Object.create(null)` is not used, because the engine stores its result as a dictionary, whose
 * lookups are three times as slow.
 */
const Values = function () {} as unknown as new () => Record<string, unknown>;
Values.prototype = Object.create(null) as object;

/** Matches a query without percent-encoding. */
const PLAIN_QUERY = /^[\w.&=-]*$/;

function readEncoded(
  query: string,
  parameters: ReadonlyMap<string, Parameter>,
  values: Record<string, unknown>,
): Record<string, unknown> {
  for (const [name, text] of Object.entries(parseQueryString(query, '&', '=', { maxKeys: 0 }))) {
    if (typeof text !== 'string')
      throw new InvalidInput(`${name}: expected once, got ${text?.length ?? 0} times`, { param: name });
    values[name] = readValue(text, parameters.get(name)?.reading ?? 'text');
  }
  return values;
}

function readValue(text: string, reading: Reading): unknown {
  if (reading === 'number' && JSON_NUMBER.test(text)) {
    const number = Number(text);
    if (Number.isFinite(number)) return number;
  }
  if (reading === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
