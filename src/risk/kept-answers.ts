import type { Assessment } from './assessment.ts';

/** Maximum number of kept answers. Beyond it all are dropped, and the usual ones are soon kept again. */
const MAX_ANSWERS = 4096;

/** Keeps answers by the two numbers that they depend on, for models in which many places share these numbers. */
export class KeptAnswers {
  readonly #answers = new Map<number, Map<number, Assessment>>();
  #count = 0;

  get(first: number, second: number): Assessment | undefined {
    return this.#answers.get(first)?.get(second);
  }

  /** Keeps an answer, and returns it. */
  keep(first: number, second: number, answer: Assessment): Assessment {
    if (this.#count >= MAX_ANSWERS) {
      this.#answers.clear();
      this.#count = 0;
    }
    let answers = this.#answers.get(first);
    if (answers === undefined) this.#answers.set(first, (answers = new Map<number, Assessment>()));
    answers.set(second, answer);
    this.#count++;
    return answer;
  }
}
