import type { OperationObject } from '../../contract/openapi/document.ts';
import { JSON_NOTATION, laidOut } from './laid-out.ts';
import { variableOf } from './id-variables.ts';
import { pathWith, sentBy } from './sent-example.ts';

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const TYPESCRIPT = {
  ...JSON_NOTATION,
  name: (name: string) => (/^[a-z_]\w*$/i.test(name) ? name : quoted(name)),
  text(text: string) {
    const variable = variableOf(text);
    return variable === undefined ? quoted(text) : `process.env.${variable}!`;
  },
  inset: ' ',
};

const PYTHON = {
  ...JSON_NOTATION,
  text(text: string) {
    const variable = variableOf(text);
    return variable === undefined ? JSON.stringify(text) : `os.environ["${variable}"]`;
  },
  constants: { true: 'True', false: 'False', null: 'None' },
};

/** What the reader writes once, before the examples of each language. */
export const beginnings = (server: string): Readonly<Record<'typescript' | 'python', string>> => ({
  typescript: `import { Groundwatch } from 'groundwatch-client'; // NODE_EXTRA_CA_CERTS=$CA
const groundwatch = new Groundwatch({ baseUrl: '${server}', apiKey: process.env.KEY! });`,
  python: `import os
from groundwatch import Groundwatch
groundwatch = Groundwatch("${server}", os.environ["KEY"], ca=os.environ["CA"])`,
});

/**
 * Call of an operation with the package groundwatch-client. Undefined for an operation without a method there: those
 * outside of `/v1` are for programs that know their standard.
 */
export function typescriptExample(path: string, declared: OperationObject): string | undefined {
  if (!path.startsWith('/v1/')) return undefined;
  const { ids, query, body } = sentBy(path, declared);
  const given = [...ids, body, query].filter((value) => value !== undefined);
  const call = `groundwatch.${declared.operationId}(${given.map((value) => laidOut(value, TYPESCRIPT)).join(', ')})`;
  if (isStream(declared)) return `for await (const event of ${call}) console.log(event.type);`;
  return isEmpty(declared) ? `await ${call};` : `const answer = await ${call};`;
}

/** Call of an operation with the Python package. Undefined for a stream, which it does not read. */
export function pythonExample(method: string, path: string, declared: OperationObject): string | undefined {
  if (isStream(declared)) return undefined;
  const { ids, query, body } = sentBy(path, declared);
  const usesVariable = ids.some((id) => variableOf(String(id)) !== undefined);
  const address = pathWith(path, ids, (id) => {
    const variable = variableOf(id);
    return variable === undefined ? id : `{os.environ['${variable}']}`;
  });
  const given = [
    `"${method.toUpperCase()}"`,
    `${usesVariable ? 'f' : ''}"${address}"`,
    ...(query === undefined ? [] : [`query=${laidOut(query, PYTHON)}`]),
    ...(body === undefined ? [] : [`body=${laidOut(body, PYTHON)}`]),
  ];
  return `${isEmpty(declared) ? '' : 'answer = '}groundwatch.call(${given.join(', ')})`;
}

function successOf(declared: OperationObject): readonly [string, object] {
  return Object.entries(declared.responses)[0]!;
}

const isEmpty = (declared: OperationObject): boolean => successOf(declared)[0] === '204';

export function isStream(declared: OperationObject): boolean {
  const [, success] = successOf(declared);
  return 'content' in success && 'text/event-stream' in (success.content as object);
}
