const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const COUNT = new Intl.NumberFormat('en-GB');
const NUMBER = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });

/** Formats `2026-08-31` or a timestamp as a day in UTC. */
export function day(text: string): string {
  return DAY.format(new Date(text));
}

/** Formats a timestamp to the minute, in UTC. */
export function moment(text: string): string {
  return `${MOMENT.format(new Date(text))} UTC`;
}

/** Formats an age [ms] in the largest unit of which it is at least two: `19 months ago`. */
export function agoInWords(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  if (days < 1) return 'today';
  if (days < 60) return `${count(days, 'day')} ago`;
  const months = Math.floor(days / 30.44);
  return months < 24 ? `${count(months, 'month')} ago` : `${count(Math.floor(months / 12), 'year')} ago`;
}

/** Formats a number with three significant digits. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** Formats an integer with all its digits: `1,204`. */
export function whole(n: number): string {
  return COUNT.format(n);
}

/** Formats a number with a noun: `1 day`, `1,204 days`. */
export function count(n: number, thing: string): string {
  return `${whole(n)} ${thing}${n === 1 ? '' : 's'}`;
}

/** Formats a difference with three significant digits and its sign. */
export function signed(value: number): string {
  return `${value > 0 ? '+' : value < 0 ? '\u2212' : ''}${NUMBER.format(Math.abs(value))}`;
}

/** Formats a probability as a whole percentage. Only exactly 0 and 1 become 0 % and 100 %. */
export function percent(probability: number): string {
  const rounded = Math.round(probability * 100);
  if (rounded === 0 && probability > 0) return '< 1 %';
  if (rounded === 100 && probability < 1) return '> 99 %';
  return `${rounded} %`;
}

/** Formats an area [m2]: square metres below 1 ha, hectares below 1 km2, else square kilometres. */
export function area(m2: number): string {
  if (m2 < 10_000) return `${NUMBER.format(m2)} m²`; // 1 ha
  if (m2 < 1_000_000) return `${NUMBER.format(m2 / 10_000)} ha`; // 1 km²
  return `${NUMBER.format(m2 / 1_000_000)} km²`;
}

/** Formats a key such as `vegetation_loss` as words: `Vegetation loss`. */
export function words(key: string): string {
  const text = key.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a position with five decimals, which correspond to about a metre. */
export function position(lat: number, lng: number): string {
  return `${Math.abs(lat).toFixed(5)}°\u00a0${lat < 0 ? 'S' : 'N'}, ${Math.abs(lng).toFixed(5)}°\u00a0${lng < 0 ? 'W' : 'E'}`;
}
