const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/**
 * Whether the numbers of a table have decimal commas.
 * @param cells some of its fields
 * @param separator of its fields
 */
export function hasDecimalCommas(cells: readonly string[], separator: string | RegExp): boolean {
  const trimmed = cells.map((text) => text.trim());
  return (
    trimmed.some((text) => /^[-+]?\d+,\d+$/.test(text)) &&
    (separator !== ',' || !trimmed.some((text) => /^[-+]?\d+\.\d+$/.test(text)))
  );
}

/** The number that a text is; undefined for any other text. @param comma whether its decimals follow a comma */
export function decimalNumber(text: string, comma: boolean): number | undefined {
  const plain = comma ? text.trim().replace(',', '.') : text.trim();
  return NUMBER.test(plain) ? Number(plain) : undefined;
}
