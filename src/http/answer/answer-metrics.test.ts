import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerMetrics } from './answer-metrics.ts';

test('answers are exposed as a counter and a cumulative histogram (Prometheus text format)', () => {
  const metrics = new AnswerMetrics();
  for (const [operation, status, seconds] of [
    ['assessRisk', 200, 0.0005],
    ['assessRisk', 200, 0.001],
    ['assessRisk', 429, 0.3],
    ['other', 404, 99],
  ] as const)
    metrics.count(operation, status, seconds);
  const lines = metrics.text().split('\n');
  for (const line of [
    '# TYPE groundwatch_answers_total counter',
    'groundwatch_answers_total{operation="assessRisk",status="200"} 2',
    'groundwatch_answers_total{operation="assessRisk",status="429"} 1',
    'groundwatch_answers_total{operation="other",status="404"} 1',
    '# TYPE groundwatch_answer_seconds histogram',
    'groundwatch_answer_seconds_bucket{le="0.001",operation="assessRisk"} 2',
    'groundwatch_answer_seconds_bucket{le="0.25",operation="assessRisk"} 2',
    'groundwatch_answer_seconds_bucket{le="0.5",operation="assessRisk"} 3',
    'groundwatch_answer_seconds_bucket{le="+Inf",operation="assessRisk"} 3',
    'groundwatch_answer_seconds_count{operation="assessRisk"} 3',
    'groundwatch_answer_seconds_bucket{le="5",operation="other"} 0',
    'groundwatch_answer_seconds_bucket{le="+Inf",operation="other"} 1',
    'groundwatch_answer_seconds_sum{operation="other"} 99',
  ])
    assert.ok(lines.includes(line), line);
});
