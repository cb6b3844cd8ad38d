/** Variables that replace identifiers in examples, by the prefix of the identifier. */
const ID_VARIABLES: Readonly<Record<string, string>> = {
  aoi: 'AOI_ID',
  chg: 'CHANGE_ID',
  an: 'ANOMALY_ID',
  sub: 'SUBSCRIPTION_ID',
  wh: 'WEBHOOK_ID',
  evt: 'EVENT_ID',
  dlv: 'DELIVERY_ID',
};
const EXAMPLE_ID = /\b([a-z]+)_[0-9a-hjkmnp-tv-z]{26}\b/g;

/** Name of the variable that the readers of the examples put into the place of an identifier; undefined: none. */
export function variableOf(id: string): string | undefined {
  const [whole, prefix] = new RegExp(`^${EXAMPLE_ID.source}$`).exec(id) ?? [];
  return whole === undefined ? undefined : ID_VARIABLES[prefix!];
}

/** The text with the variables of a shell in the place of identifiers. */
export function withVariables(text: string): string {
  return text.replace(EXAMPLE_ID, (id, prefix: string) => {
    const variable = ID_VARIABLES[prefix];
    return variable === undefined ? id : `$${variable}`;
  });
}
