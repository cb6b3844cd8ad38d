import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Aoi } from '../../src/client/index.ts';
import { goTo, parsePlace, type Place } from '../route.ts';
import { useMap } from '../map/map-content.ts';
import { findTowns, isNamed, readTowns, type TownTable } from './places.ts';
import placesUrl from './places.tsv?url';

/** Most answers of a search, of areas and of towns. */
const SHOWN = 7;
const AREAS_SHOWN = 3;
/** Half the width of the view around a town that was chosen [degrees]. */
const AROUND = 0.12;

interface Found {
  readonly key: string;
  readonly name: string;
  readonly note: string;
  readonly choose: () => void;
}

/** Finds the areas of the account, the towns of the world and a position that is typed, and shows them on the map. */
export function PlaceSearch({ areas }: { readonly areas: readonly Aoi[] }) {
  const { show } = useMap();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [marked, setMarked] = useState(0);
  const [towns, setTowns] = useState<TownTable | undefined>(undefined);
  const asked = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const load = (): void => {
    if (asked.current) return;
    asked.current = true;
    fetch(placesUrl)
      .then((answer) => answer.text())
      .then((table) => setTowns(readTowns(table)))
      .catch(() => (asked.current = false)); // the areas are found all the same, and the next letter asks again
  };
  const found = useMemo(() => search(text, areas, towns, (at) => showPlace(at, show)), [text, areas, towns]);
  useEffect(() => setMarked(0), [found]);
  const take = (one: Found | undefined): void => {
    if (one === undefined) return;
    one.choose();
    setText('');
    setOpen(false);
    field.current?.blur();
  };
  const isListed = isOpen && text.trim() !== '';
  return (
    <div class="place-search" role="search">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Find a town, an area or a position"
        aria-expanded={isListed}
        aria-controls="found-places"
        aria-autocomplete="list"
        aria-activedescendant={isListed && found[marked] ? `found-${marked}` : undefined}
        placeholder="Find a town or an area"
        autocomplete="off"
        value={text}
        onFocus={() => (load(), setOpen(true))}
        onBlur={() => setOpen(false)}
        onInput={(event) => (load(), setText(event.currentTarget.value), setOpen(true))}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            const step = event.key === 'ArrowDown' ? 1 : found.length - 1;
            if (found.length > 0) setMarked((marked + step) % found.length);
          } else if (event.key === 'Enter') take(found[marked]);
          else if (event.key === 'Escape') setOpen(false);
        }}
      />
      <ul id="found-places" role="listbox" aria-label="Places found" hidden={!isListed}>
        {found.map(({ key, name, note }, i) => (
          <li
            key={key}
            id={`found-${i}`}
            role="option"
            aria-selected={i === marked}
            // Before the field loses the focus, which closes the list.
            onPointerDown={(event) => (event.preventDefault(), take(found[i]))}
          >
            <span>{name}</span> <small>{note}</small>
          </li>
        ))}
      </ul>
      {isListed && found.length === 0 && (
        <p role="status">{towns === undefined ? 'Loading the towns …' : 'No town or area of this name.'}</p>
      )}
    </div>
  );
}

function search(
  text: string,
  areas: readonly Aoi[],
  towns: TownTable | undefined,
  onPlace: (at: Place) => void,
): readonly Found[] {
  const at = parsePlace(text);
  if (at !== undefined)
    return [{ key: 'at', name: `${at.lat}, ${at.lng}`, note: 'position', choose: () => onPlace(at) }];
  const own = areas
    .filter(({ name }) => isNamed(name, text))
    .slice(0, AREAS_SHOWN)
    .map(({ id, name }) => ({ key: id, name, note: 'area', choose: () => goTo({ pane: 'area', id }) }));
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const of = towns === undefined ? [] : findTowns(towns, text, SHOWN - own.length);
  return [
    ...own,
    ...of.map(({ name, country, lat, lng }) => ({
      key: `${name} ${lat} ${lng}`,
      name,
      note: names.of(country) ?? country,
      choose: () => onPlace({ lat, lng }),
    })),
  ];
}

function showPlace(at: Place, show: ReturnType<typeof useMap>['show']): void {
  const { lat, lng } = at;
  const [west, south, east, north] = [lng - AROUND, lat - AROUND / 2, lng + AROUND, lat + AROUND / 2];
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  show({ focus: { geometries: [{ type: 'Polygon', coordinates: [ring] }] } });
  goTo({ pane: 'place', at });
}
