import { parse as parseQueryString } from 'node:querystring';
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import { InvalidInput, type Problem } from '../base/errors.ts';
import { parseMoment } from '../base/time.ts';
import { countValues, guardSchema, isKeepable, isKeepableText } from './answer/keepable-json.ts';

const MAX_DETAILS = 100; // contract.md "Batch": the first 100 bad items are named
/** Values in a body of which every problem is looked for; a thousand locations are 4,002. Of a larger one, the first. */
const MAX_VALUES_LISTED = 20_000;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/; // RFC 8259 section 6
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const ajvs = { first: newAjv(false), all: newAjv(true) };

function newAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({ allErrors, verbose: true, strict: true, strictTypes: false, validateFormats: true });
  ajv.addFormat('moment', (text) => parseMoment(text) !== undefined);
  ajv.addFormat('date-time', (text) => parseMoment(text) !== undefined && !DAY.test(text));
  ajv.addFormat('date', (text) => parseMoment(text) !== undefined && DAY.test(text));
  ajv.addKeyword({
    keyword: 'keepableText',
    type: 'string',
    validate: (_: true, text: string) => isKeepableText(text),
    errors: false,
  });
  ajv.addKeyword({
    keyword: 'keepable',
    validate: (_: true, value: unknown) => isKeepable(value),
    errors: false,
  });
  return ajv;
}

/** What is wrong with a value by a schema; empty when nothing is. */
export type Check = (value: unknown) => readonly Problem[];

/**
 * A check of JSON against a schema, coercing nothing. `whole` names the value itself in messages, `member` what its
 * members are called (field, parameter).
 */
export function checker(schema: AnySchema, whole: string, member: string): Check {
  const guarded = guardSchema(schema);
  const isValid: ValidateFunction = ajvs.first.compile(guarded);
  let listProblems: ValidateFunction | undefined;
  return (value) => {
    if (isValid(value)) return [];
    let { errors } = isValid;
    if (countValues(value, MAX_VALUES_LISTED) < MAX_VALUES_LISTED) {
      listProblems ??= ajvs.all.compile(guarded);
      listProblems(value);
      ({ errors } = listProblems);
    }
    return (errors ?? []).slice(0, MAX_DETAILS).map((error) => problemOf(error, whole, member));
  };
}

/** Turns problems into the error that a caller gets; does nothing when there are none. @throws InvalidInput */
export function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length - 1;
  const message = more === 0 ? first.message : `${first.message} (and ${more} more, see details)`;
  const named = problems.filter(({ param }) => param !== '');
  throw new InvalidInput(message, {
    ...(first.param !== '' && { param: first.param }),
    details: named,
  });
}

function problemOf(error: ErrorObject, whole: string, member: string): Problem {
  const path = paramOf(error.instancePath);
  const at = path === '' ? whole : path;
  const problem = (expected: string): Problem => ({ param: path, message: `${at}: expected ${expected}` });
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const got = describe(error.data);
  const parameters = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required': {
      const param = inside(String(parameters['missingProperty']));
      return { param, message: `${param}: required, but missing` };
    }
    case 'additionalProperties': {
      const param = inside(String(parameters['additionalProperty']));
      const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
      const expected = known.length === 0 ? 'none is taken here' : `expected only ${known.join(', ')}`;
      return { param, message: `${param}: unknown ${member}; ${expected}` };
    }
    case 'type':
      return problem(`${article(String(parameters['type']))}, got ${got}`);
    case 'enum':
      return problem(`one of ${(parameters['allowedValues'] as unknown[]).join(', ')}; got ${got}`);
    case 'minimum':
    case 'maximum': {
      const { type, minimum, maximum } = error.parentSchema as Range;
      return problem(`${article(type)} from ${minimum} to ${maximum}, got ${got}`);
    }
    case 'format':
      return problem(`an RFC 3339 timestamp or a day as YYYY-MM-DD, got ${got}`);
    case 'minItems':
    case 'maxItems': {
      const { minItems = 0, maxItems } = error.parentSchema as { minItems?: number; maxItems?: number };
      return problem(`${minItems} to ${maxItems} items, got ${(error.data as unknown[]).length}`);
    }
    case 'minLength':
    case 'maxLength': {
      const { minLength = 0, maxLength } = error.parentSchema as { minLength?: number; maxLength?: number };
      const { length } = Array.from(String(error.data)); // code points, as JSON Schema counts
      return maxLength === undefined
        ? problem(`at least ${minLength} character${minLength === 1 ? '' : 's'}, got ${length}`)
        : problem(`${minLength} to ${maxLength} characters, got ${length}`);
    }
    case 'minProperties':
      return problem('at least one field, got none');
    case 'uniqueItems': {
      const repeated = (error.data as unknown[])[Number(parameters['i'])];
      return problem(`every item once, got ${describe(repeated)} again`);
    }
    case 'keepableText':
      return problem(`text without NUL and without half surrogate pairs, got ${got}`);
    case 'keepable':
      return problem('a value that nests little, its texts without NUL and without half surrogate pairs');
    default:
      return { param: path, message: `${at}: ${error.message ?? 'not valid'}` };
  }
}

/** `/locations/17/lat` -> `locations[17].lat` */
function paramOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, i) => (/^\d+$/.test(part) ? `[${part}]` : i === 0 ? part : `.${part}`))
    .join('');
}

interface Range {
  readonly type: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

function article(types: string): string {
  return types
    .split(',')
    .map((type) =>
      type === 'boolean' ? 'true or false' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`,
    )
    .join(' or ');
}

/** A value as it is quoted in a message: short, and never multi-line. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  // JSON has no infinity, but a number in it can be too large for us.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57).toWellFormed()}...` : text;
}

/** How a query parameter is read: as text, or as the JSON value that its schema asks for. */
type Reading = 'text' | 'number' | 'boolean';

/** One that a route takes; its name as the engine knows it, which is looked up sooner than one cut from a query. */
interface Parameter {
  readonly name: string;
  readonly reading: Reading;
}

/**
 * Reads a query string for a schema: each parameter at most once, numbers by the JSON grammar, `true` or `false`.
 * What cannot be read so stays text, and the schema refuses it. @throws InvalidInput for a repeated parameter
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
    // By hand: the general reader takes as long as all the rest of a short call.
    for (let from = 0; from < query.length;) {
      const next = query.indexOf('&', from);
      const to = next < 0 ? query.length : next;
      const sign = query.indexOf('=', from);
      const end = sign < 0 || sign > to ? to : sign;
      const parameter = parameters.get(query.slice(from, end));
      // What is unknown, empty or comes again is told of there.
      if (parameter === undefined || values[parameter.name] !== undefined)
        return readEncoded(query, parameters, values);
      values[parameter.name] = readValue(query.slice(end + 1, to), parameter.reading);
      from = to + 1;
    }
    return values;
  };
}

/**
 * Values by name that inherit nothing, so that `__proto__` is a name like any other. Of a constructor, because the engine
 * looks up what `Object.create(null)` gives as it does a dictionary: three times as slow.
 */
const Values = function () {} as unknown as new () => Record<string, unknown>;
Values.prototype = Object.create(null) as object;

/** A query without anything encoded in it. */
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
