import { Type, type Static } from 'typebox';
import { Day, nullable } from './fields.ts';
import { operation } from './operation.ts';

/** Maximum number of days by which one call may advance the simulated region. */
const MAX_ADVANCE_DAYS = 365;

export const Sandbox = Type.Object(
  {
    status: Type.Enum(['absent', 'being_made', 'ready'], {
      description:
        '`absent` where the operator left the region out; `being_made` in the first seconds after the first start.',
    }),
    progress: Type.Number({ minimum: 0, maximum: 1, description: 'Share of its history that is made.' }),
    date: nullable(Day('The first simulated day that nothing has been observed of yet.')),
    bounds: Type.Array(Type.Number(), {
      description: 'West, south, east and north of the region, decimal degrees: in the open Atlantic.',
    }),
    simulated: Type.Literal(true, { description: 'Nothing in this environment was observed.' }),
  },
  { title: 'Sandbox' },
);
export type Sandbox = Static<typeof Sandbox>;

export const getSandbox = operation({
  id: 'getSandbox',
  method: 'GET',
  path: '/v1/sandbox',
  tag: 'Sandbox',
  summary: 'The simulated region and its clock',
  description: 'Any valid credential may ask; only credentials of the sandbox see what is in the region.',
  scopes: [],
  query: Type.Object({}, { additionalProperties: false }),
  answers: [{ status: 200, description: 'The region.', body: Sandbox }],
  example: {
    answer: {
      status: 'ready',
      progress: 1,
      date: '2025-01-01',
      bounds: [-27.000001, 45.998904, -26.922513, 46.053055],
      simulated: true,
    },
  },
});

export const SandboxStep = Type.Object(
  {
    date: Day('The first simulated day that nothing has been observed of yet.'),
    days: Type.Integer({ description: 'Days that it was moved by.' }),
    scenes: Type.Integer({ description: 'Satellite scenes that came in.' }),
    observations: Type.Integer({ description: 'Observations of stations that came in.' }),
    changes: Type.Object(
      { inserted: Type.Integer(), updated: Type.Integer() },
      { description: 'Changes, of any status, that are new or of which more is known.' },
    ),
  },
  { title: 'SandboxStep' },
);

export const advanceSandbox = operation({
  id: 'advanceSandbox',
  method: 'POST',
  path: '/v1/sandbox/advance',
  tag: 'Sandbox',
  summary: 'Move the clock of the simulated region',
  description:
    'Only for credentials of the sandbox environment. Answers when everything of those days came in and its changes, anomalies and events are there, so that a test of yours need not wait. The same days bring the same on every machine, in one call or in many. Calls at the same time take turns.',
  scopes: ['anomalies:write'],
  recorded: true,
  body: Type.Object(
    {
      days: Type.Integer({
        minimum: 1,
        maximum: MAX_ADVANCE_DAYS,
        description: 'Simulated days. The satellite passes each fifth day.',
      }),
    },
    { title: 'SandboxAdvance', additionalProperties: false },
  ),
  answers: [{ status: 200, description: 'What the days brought.', body: SandboxStep }],
  example: {
    body: { days: 30 },
    answer: {
      date: '2025-01-31',
      days: 30,
      scenes: 3,
      observations: 540,
      changes: { inserted: 1, updated: 2 },
    },
  },
});

/** The operations, in the order of the documentation. */
export const SANDBOX_OPERATIONS = [getSandbox, advanceSandbox] as const;
