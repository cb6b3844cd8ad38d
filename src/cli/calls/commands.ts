import type { Command } from '../command.ts';
import { anomaliesCommand } from './anomalies.ts';
import { changesCommand } from './changes.ts';
import {
  exportAnomaliesCommand,
  exportAreasCommand,
  exportChangesCommand,
  exportIncidentsCommand,
  exportSeriesCommand,
} from './export-list.ts';
import { incidentsCommand } from './incidents.ts';
import { loginCommand, logoutCommand } from './login.ts';
import { riskCommand } from './risk.ts';

/** The commands that call a service over its API, in the order of the help. They open no installation. */
export const CALL_COMMANDS: readonly Command[] = [
  loginCommand,
  logoutCommand,
  riskCommand,
  incidentsCommand,
  changesCommand,
  anomaliesCommand,
  exportAreasCommand,
  exportChangesCommand,
  exportAnomaliesCommand,
  exportIncidentsCommand,
  exportSeriesCommand,
];
