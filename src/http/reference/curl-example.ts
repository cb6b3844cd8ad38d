import type { OperationObject, ParameterObject } from '../../contract/openapi/document.ts';

/** Shell variables that replace identifiers in examples, by the prefix of the identifier. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  aoi: '$AOI_ID',
  chg: '$CHANGE_ID',
  an: '$ANOMALY_ID',
  sub: '$SUBSCRIPTION_ID',
  wh: '$WEBHOOK_ID',
  evt: '$EVENT_ID',
  dlv: '$DELIVERY_ID',
};
const EXAMPLE_ID = /\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g;

const withVariables = (text: string) =>
  text.replace(EXAMPLE_ID, (id, prefix: string) => ID_VARIABLES[prefix] ?? id);

const isParameter = (parameter: object): parameter is ParameterObject => 'name' in parameter;

/**
 * Returns a shell command with an example call of an operation. The reader of the example sets `$CA`, `$KEY` and a
 * variable for each identifier.
 */
export function curlExample(server: string, method: string, path: string, declared: OperationObject): string {
  const examples = (declared.parameters ?? []).filter(isParameter).filter((p) => p.example !== undefined);
  let address = server.replace(/\/$/, '') + path;
  for (const p of examples.filter((p) => p.in === 'path'))
    address = address.replace(`{${p.name}}`, encodeURIComponent(String(p.example)));
  const query = examples
    .filter((p) => p.in === 'query')
    .map((p) => `${p.name}=${encodeURIComponent(String(p.example))}`);
  if (query.length > 0) address += `?${query.join('&')}`;
  const lines = ['curl --cacert "$CA" -H "Authorization: Bearer $KEY"'];
  const body = declared.requestBody?.content['application/json']?.example;
  const implied = body === undefined ? 'get' : 'post'; // the method that curl uses by default
  lines.push(`  ${method === implied ? '' : `-X ${method.toUpperCase()} `}"${withVariables(address)}"`);
  if (body === undefined) return lines.join(' \\\n');
  // The body is a here-document, so that the shell also expands the variables in it.
  lines.push('  -H "Content-Type: application/json"', '  --data-binary @- <<JSON');
  return `${lines.join(' \\\n')}\n${compactJson(JSON.parse(withVariables(JSON.stringify(body))))}\nJSON`;
}

/** Formats JSON for readers: indented, but a value that fits on one line is written on one line. */
export function compactJson(value: unknown, indent = ''): string {
  const WIDTH = 72; // number of characters per line that fit the example column without scrolling
  const flat = JSON.stringify(value).replaceAll(
    /("(?:[^"\\]|\\.)*")|([,:])/g,
    (_, text: string | undefined, mark: string) => (text === undefined ? `${mark} ` : text),
  );
  if (indent.length + flat.length <= WIDTH || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => inner + compactJson(item, inner)).join(',\n')}\n${indent}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${compactJson(member, inner)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}
