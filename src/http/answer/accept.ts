/** A range of an `Accept` header: `type/subtype`, `type/*` or `*` followed by `/*`, and how much it is wanted [0-1]. */
interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

/** Members of a list with commas, where commas may also stand in quoted strings (RFC 9110 section 5.6.4). */
const MEMBER = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
/** A parameter of a member and its value, a token or a quoted string. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g;

/**
 * Returns the media type that an `Accept` header prefers among those on offer, by quality. Of types that are wanted
 * equally, it is the one whose range stands first in the header; of types in one range, the first of the offer. The
 * header is ignored, and the first type is returned, when it accepts none of them.
 * @param offered media types in lower case; the first is the default
 * @see RFC 9110 section 12.5.1
 */
export function preferredType<T extends string>(
  accept: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  if (accept === undefined || accept === '*/*') return offered[0];
  const ranges = rangesOf(accept);
  let best = offered[0];
  let [highest, first] = [0, Infinity];
  for (const type of offered) {
    // The most specific range that covers the type tells its quality, wherever it stands.
    const forms = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
    const form = forms.find((one) => ranges.some(({ range }) => range === one));
    const at = ranges.findIndex(({ range }) => range === form);
    const quality = ranges[at]?.quality ?? 0;
    if (quality < highest || quality === 0 || (quality === highest && at >= first)) continue;
    [best, highest, first] = [type, quality, at];
  }
  return best;
}

/** The ranges of the header. A range whose quality is no number from 0 to 1 counts as unwanted; other parameters are ignored. */
function rangesOf(accept: string): readonly MediaRange[] {
  return (accept.toLowerCase().match(MEMBER) ?? []).map((member) => {
    const range = member.split(';', 1)[0]!.trim();
    const said = [...member.matchAll(PARAMETER)].find(([, name]) => name === 'q')?.[2]?.trim();
    const quality = said === undefined ? 1 : Number(said);
    return { range, quality: quality > 0 && quality <= 1 ? quality : 0 };
  });
}
