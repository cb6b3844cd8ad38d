import type { InstallationCheck } from '../cli/installation-check.ts';
import { cataloguesCheck, cubesCheck, layersCheck } from './data-checks.ts';
import { databaseCheck, rowSecurityCheck, secretsCheck, timeCheck } from './database-checks.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import {
  certificateCheck,
  dataFolderCheck,
  diskCheck,
  rateLimitsCheck,
  settingsCheck,
  webhooksCheck,
} from './host-checks.ts';

/**
 * Every check of an installation, in order of dependency.
 * @param open opens the installation; checks that do not need an open installation do not call it
 */
export function diagnosis(open: () => Promise<DiagnosisDeps>): readonly InstallationCheck[] {
  return [
    settingsCheck,
    dataFolderCheck,
    diskCheck,
    databaseCheck(open),
    rowSecurityCheck(open),
    timeCheck(open),
    certificateCheck,
    webhooksCheck,
    secretsCheck(open),
    rateLimitsCheck,
    layersCheck(open),
    cataloguesCheck(open),
    cubesCheck(open),
  ];
}
