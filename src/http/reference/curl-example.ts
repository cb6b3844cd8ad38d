import type { OperationObject } from '../../contract/openapi/document.ts';
import { withVariables } from './id-variables.ts';
import { laidOut } from './laid-out.ts';
import { pathWith, sentBy } from './sent-example.ts';

/**
 * Returns a shell command with an example call of an operation. The reader of the example sets `$CA`, `$KEY` and a
 * variable for each identifier.
 */
export function curlExample(server: string, method: string, path: string, declared: OperationObject): string {
  const { ids, query = {}, body } = sentBy(path, declared);
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const asked = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  const address = server.replace(/\/$/, '') + pathWith(path, ids, encodeURIComponent) + asked;
  const lines = ['curl --cacert "$CA" -H "Authorization: Bearer $KEY"'];
  const implied = body === undefined ? 'get' : 'post'; // the method that curl uses by default
  lines.push(`  ${method === implied ? '' : `-X ${method.toUpperCase()} `}"${withVariables(address)}"`);
  if (body === undefined) return lines.join(' \\\n');
  // The body is a here-document, so that the shell also expands the variables in it.
  lines.push('  -H "Content-Type: application/json"', '  --data-binary @- <<JSON');
  return `${lines.join(' \\\n')}\n${laidOut(JSON.parse(withVariables(JSON.stringify(body))))}\nJSON`;
}
