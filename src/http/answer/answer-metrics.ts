/** Upper bounds of the histogram of answer times [s]. */
const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

interface OperationCounts {
  /** Number of answers by status. */
  readonly statuses: Map<number, number>;
  /** Number of answers in each bucket of answer times; the last bucket has no upper bound. */
  readonly times: Float64Array;
  sumS: number;
}

/**
 * Counts answers by operation and status, and their times, for Prometheus. The Prometheus client library is not used
 * here, because it hashes the labels again for every answer.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/ text format
 */
export class AnswerMetrics {
  readonly #operations = new Map<string, OperationCounts>();

  count(operation: string, status: number, seconds: number): void {
    let counts = this.#operations.get(operation);
    if (counts === undefined) {
      counts = { statuses: new Map(), times: new Float64Array(BUCKETS_S.length + 1), sumS: 0 };
      this.#operations.set(operation, counts);
    }
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BUCKETS_S.length && seconds > BUCKETS_S[bucket]!) bucket++;
    counts.times[bucket]!++;
    counts.sumS += seconds;
  }

  text(): string {
    const answers = [
      '# HELP groundwatch_answers_total Answers by operation and status.',
      '# TYPE groundwatch_answers_total counter',
    ];
    const seconds = [
      '# HELP groundwatch_answer_seconds Time from request to answer.',
      '# TYPE groundwatch_answer_seconds histogram',
    ];
    for (const [operation, { statuses, times, sumS }] of this.#operations) {
      const label = `operation="${operation}"`;
      for (const [status, count] of statuses)
        answers.push(`groundwatch_answers_total{${label},status="${status}"} ${count}`);
      let passed = 0;
      for (const [i, count] of times.entries()) {
        passed += count;
        const bound = i < BUCKETS_S.length ? String(BUCKETS_S[i]) : '+Inf';
        seconds.push(`groundwatch_answer_seconds_bucket{le="${bound}",${label}} ${passed}`);
      }
      seconds.push(`groundwatch_answer_seconds_sum{${label}} ${sumS}`);
      seconds.push(`groundwatch_answer_seconds_count{${label}} ${passed}`);
    }
    return `${[...answers, ...seconds].join('\n')}\n`;
  }
}

/** Metrics of a process, of which those of its answers become a part. */
export interface ProcessMetrics {
  include(this: void, metrics: () => string): void;
  /** Returns all metrics for `/metrics`. They name nothing of an account. */
  text(this: void): Promise<string>;
}

/** Makes metrics a part of those of the process. @returns what `/metrics` answers: without a process, they alone */
export function includedIn(
  process: ProcessMetrics | undefined,
  own: () => string,
): () => string | Promise<string> {
  process?.include(own);
  return process?.text ?? own;
}
