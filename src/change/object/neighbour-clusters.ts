import { PARAMETERS } from '../parameters.ts';
import { type EventScenes, isNote } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { isEarlier, neighbours, withinSeason } from './event-components.ts';

/** Departures of neighbouring pixels in one direction, as far as they are known in a scene. */
interface Cluster {
  /** The event that others are compared with: they begin within a season of it. */
  anchor: EventScenes;
  /** Place in the order in which clusters began. */
  order: number;
  /** Indices of the events. */
  readonly members: number[];
  /** Indices of the members that are evidence now and have not been confirmed together. */
  waiting: readonly number[];
  isConfirmed: boolean;
}

/**
 * Clusters of neighbours that grow in order of time, so that no later event changes what earlier ones belong to. What
 * neighbours have not confirmed anchors a cluster only while it counts: otherwise a note or a rejected departure would
 * decide which of the departures that follow it belong together.
 */
export class Clusters {
  readonly #spec: StackSpec;
  readonly #all: ReadonlyMap<number, EventScenes>;
  readonly #byPixel = new Map<number, readonly Cluster[]>();
  readonly #byEvent = new Map<number, Cluster>();
  #begun = 0;

  /** @param all the events, by their indices */
  constructor(spec: StackSpec, all: ReadonlyMap<number, EventScenes>) {
    this.#spec = spec;
    this.#all = all;
  }

  /** Adds an event that became evident or plain in a scene, not before those of earlier scenes. Returns its cluster. */
  add(i: number, scene: number): Cluster {
    const cluster = this.#byEvent.get(i) ?? this.#join(i, scene);
    const isNew = !cluster.waiting.includes(i);
    cluster.waiting = this.#living([...(isNew ? [i] : []), ...cluster.waiting], scene);
    return cluster;
  }

  #living(events: readonly number[], scene: number): number[] {
    return events.filter((i) => isEvidence(this.#spec, this.#all.get(i)!, scene));
  }

  /** Puts an event into the cluster around it that it fits best, with those that fit both, or into a new one. */
  #join(i: number, scene: number): Cluster {
    const event = this.#all.get(i)!;
    const around = [event.pixel, ...neighbours(event.pixel, this.#spec)];
    const near = new Set(around.flatMap((pixel) => this.#byPixel.get(pixel) ?? []));
    const fitting = [...near].filter((cluster) => this.#fits(cluster, event, scene));
    // Departures decide before notes.
    const [best, ...others] = fitting.toSorted(
      (a, b) => Number(isNote(a.anchor)) - Number(isNote(b.anchor)) || a.order - b.order,
    );
    const cluster =
      best === undefined
        ? { anchor: event, order: this.#begun++, members: [], waiting: [], isConfirmed: false }
        : this.#merge(
            best,
            others.filter(({ anchor }) => withinSeason(this.#spec, best.anchor, anchor)),
          );
    this.#move(cluster, [i]);
    return cluster;
  }

  /** Whether an event belongs to a cluster beside it. */
  #fits(cluster: Cluster, event: EventScenes, scene: number): boolean {
    if (cluster.anchor.direction !== event.direction) return false;
    if (!cluster.isConfirmed && !isEvidence(this.#spec, cluster.anchor, scene)) {
      const left = this.#living(cluster.waiting, scene).map((w) => this.#all.get(w)!);
      const next = left.toSorted(
        (a, b) => Number(isNote(a)) - Number(isNote(b)) || (isEarlier(a, b) ? -1 : 1),
      )[0];
      if (next === undefined) return false;
      cluster.anchor = next;
    }
    return withinSeason(this.#spec, cluster.anchor, event);
  }

  /** Merges clusters into the largest of them, with the anchor of the first one. */
  #merge(best: Cluster, others: readonly Cluster[]): Cluster {
    const [largest, ...smaller] = [best, ...others].toSorted((a, b) => b.members.length - a.members.length);
    const into = largest!;
    into.anchor = best.anchor;
    into.order = best.order;
    for (const each of smaller) {
      into.waiting = [...into.waiting, ...each.waiting];
      into.isConfirmed ||= each.isConfirmed;
      for (const m of each.members) {
        const { pixel } = this.#all.get(m)!;
        this.#byPixel.set(
          pixel,
          this.#byPixel.get(pixel)!.filter((there) => there !== each),
        );
      }
      this.#move(into, each.members);
    }
    return into;
  }

  #move(cluster: Cluster, members: readonly number[]): void {
    for (const m of members) {
      const { pixel } = this.#all.get(m)!;
      cluster.members.push(m);
      this.#byEvent.set(m, cluster);
      const here = this.#byPixel.get(pixel) ?? [];
      if (!here.includes(cluster)) this.#byPixel.set(pixel, [...here, cluster]);
    }
  }
}

/** Whether an event is evidence in a scene: it was not rejected before, or its note is not old. */
function isEvidence({ timesMs }: StackSpec, event: EventScenes, scene: number): boolean {
  if (isNote(event)) return timesMs[scene]! - timesMs[event.evident]! <= PARAMETERS.maxStepMs;
  return event.rejected === NONE || event.rejected > scene;
}
