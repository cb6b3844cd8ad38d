import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import { InvalidInput, type Problem } from '../base/errors.ts';
import { parseMoment } from '../base/time.ts';
import {
  countValues,
  guardSchema,
  isKeepable,
  isKeepableText,
  whyNotKeepable,
  whyNotKeepableText,
} from './keepable-json.ts';
import { NAMED_FAULTS } from '../contract/limits.ts';
import { hiddenCharacter, NAME_PATTERN, NAME_RULE } from '../contract/name-text.ts';

/**
 * If a body has this number of values or more, only its first problem is reported. For smaller bodies, several
 * problems are reported. A batch of a thousand locations has 4,002 values.
 */
const MAX_VALUES_LISTED = 20_000;
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

/** Returns the problems of a value; empty when the value is valid. */
export type Check = (value: unknown) => readonly Problem[];

/**
 * Makes a check of JSON values from a schema, which is compiled at the first value. The check does not convert types.
 * @param whole name of the value itself in messages, such as `The body`
 * @param member word for a member of the value in messages: field or parameter
 */
export function schemaChecker(schema: AnySchema, whole: string, member: string): Check {
  const guarded = guardSchema(schema);
  let isValid: ValidateFunction | undefined;
  let listProblems: ValidateFunction | undefined;
  return (value) => {
    isValid ??= ajvs.first.compile(guarded);
    if (isValid(value)) return [];
    let { errors } = isValid;
    if (countValues(value, MAX_VALUES_LISTED) < MAX_VALUES_LISTED) {
      listProblems ??= ajvs.all.compile(guarded);
      listProblems(value);
      ({ errors } = listProblems);
    }
    return (errors ?? []).slice(0, NAMED_FAULTS).map((error) => problemOf(error, whole, member));
  };
}

/**
 * Throws all problems as one error, with the message of the first problem. Does nothing when there are no problems.
 * @throws InvalidInput
 */
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
  const got = quoteValue(error.data);
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
      return problem(
        `one of ${(parameters['allowedValues'] as unknown[]).map(String).join(', ')}; got ${got}`,
      );
    case 'const':
      return problem(`${String(parameters['allowedValue'])}, got ${got}`);
    case 'minimum':
    case 'maximum': {
      const { type, minimum, maximum } = error.parentSchema as Range;
      const range =
        minimum === undefined
          ? `of at most ${maximum}`
          : maximum === undefined
            ? `of at least ${minimum}`
            : `from ${minimum} to ${maximum}`;
      return problem(`${article(type)} ${range}, got ${got}`);
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
      const { length } = Array.from(String(error.data)); // in code points, as JSON Schema defines the length
      return maxLength === undefined
        ? problem(`at least ${minLength} character${minLength === 1 ? '' : 's'}, got ${length}`)
        : problem(`${minLength} to ${maxLength} characters, got ${length}`);
    }
    case 'pattern': {
      const hidden = hiddenCharacter(String(error.data));
      return parameters['pattern'] === NAME_PATTERN && hidden !== undefined
        ? problem(`${NAME_RULE}, got ${hidden}`)
        : problem(`text that matches ${String(parameters['pattern'])}, got ${got}`);
    }
    case 'minProperties':
      return problem('at least one field, got none');
    case 'uniqueItems': {
      const repeated = (error.data as unknown[])[Number(parameters['i'])];
      return problem(`every item once, got ${quoteValue(repeated)} again`);
    }
    case 'keepableText':
      return problem(whyNotKeepableText(String(error.data)) ?? 'text that can be kept');
    case 'keepable':
      return problem(whyNotKeepable(error.data) ?? 'a value that can be kept');
    default:
      return { param: path, message: `${at}: ${error.message ?? 'not valid'}` };
  }
}

/** Converts a JSON pointer to a field name: `/locations/17/lat` becomes `locations[17].lat`. */
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

/** Quotes a value for a message, in at most 60 characters on one line. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  // JSON has no infinity, but JSON.parse reads a number that is too large as infinity.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57).toWellFormed()}...` : text;
}
