import type { OperationObject, ParameterObject } from '../../contract/openapi/document.ts';
import { withVariables } from './id-variables.ts';
import { laidOut } from './laid-out.ts';

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
  return `${lines.join(' \\\n')}\n${laidOut(JSON.parse(withVariables(JSON.stringify(body))))}\nJSON`;
}
