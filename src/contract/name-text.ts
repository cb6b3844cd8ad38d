/**
 * Characters that a name may not contain: control characters (Unicode general category Cc), line and paragraph
 * separators, and the characters that change the direction of text (property Bidi_Control). With them a name could
 * look like another one, or break the line of a log.
 * @see https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
const HIDDEN = String.raw`\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069`;
const HIDDEN_CHARACTER = new RegExp(`[${HIDDEN}]`);

/** Pattern of a text without such characters. */
export const NAME_PATTERN = `^[^${HIDDEN}]*$`;

/** What a name must be, for messages. */
export const NAME_RULE = 'text without control characters and characters that change its direction';

/** The first character of a text that a name may not contain, as `U+202E`; undefined when there is none. */
export function hiddenCharacter(text: string): string | undefined {
  const found = HIDDEN_CHARACTER.exec(text)?.[0];
  return found && `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
