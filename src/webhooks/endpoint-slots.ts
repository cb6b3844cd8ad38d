/**
 * How many deliveries each endpoint may have under way: `most` for one that answers well, one at a time after a
 * failure, doubling with each success. So an endpoint that hangs holds one slot of the worker, not all.
 */
export class EndpointSlots {
  readonly #most: number;
  /** Only endpoints with something under way or less than the full allowance. */
  readonly #endpoints = new Map<string, { allowance: number; taken: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a slot; false when the endpoint has none left. */
  take(endpointId: string): boolean {
    const slots = this.#endpoints.get(endpointId) ?? { allowance: this.#most, taken: 0 };
    if (slots.taken >= slots.allowance) return false;
    slots.taken += 1;
    this.#endpoints.set(endpointId, slots);
    return true;
  }

  /** Gives a slot back, with how the delivery went. */
  give(endpointId: string, success: boolean): void {
    const slots = this.#endpoints.get(endpointId);
    if (slots === undefined) throw new RangeError(`no slot of ${endpointId} is taken`);
    slots.taken -= 1;
    slots.allowance = success ? Math.min(this.#most, slots.allowance * 2) : 1;
    if (slots.taken === 0 && slots.allowance === this.#most) this.#endpoints.delete(endpointId);
  }

  /** Free slots of every endpoint that has fewer than the most. */
  room(): ReadonlyMap<string, number> {
    const room = new Map<string, number>();
    for (const [id, { allowance, taken }] of this.#endpoints) room.set(id, Math.max(0, allowance - taken));
    return room;
  }
}
