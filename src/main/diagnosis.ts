import type { InstallationCheck } from '../cli/installation-check.ts';
import { type Config, givenSettings, readConfig } from '../config.ts';
import { cataloguesCheck, cubesCheck, layersCheck } from './data-checks.ts';
import { databaseCheck, jobsCheck, rowSecurityCheck, secretsCheck, timeCheck } from './database-checks.ts';
import type { DiagnosisDeps } from './diagnosis-deps.ts';
import {
  certificateCheck,
  dataFolderCheck,
  diskCheck,
  rateLimitsCheck,
  settingsCheck,
  webhooksCheck,
} from './host-checks.ts';
import { moveCheck } from './objects/move-check.ts';
import { objectsCheck } from './objects/objects-check.ts';
import { serviceCheck } from './service-check.ts';

/**
 * Every check of an installation, in order of dependency. A service that runs on the data folder is asked for its
 * settings, and the other checks use these. Otherwise they use the settings of this process.
 * @param open opens the installation; checks that do not need an open installation do not call it
 */
export function diagnosis(open: (config: Config) => Promise<DiagnosisDeps>): readonly InstallationCheck[] {
  let settings = givenSettings();
  const config = (): Config => readConfig(settings);
  const opened = (): Promise<DiagnosisDeps> => open(config());
  return [
    serviceCheck((running) => (settings = running)),
    settingsCheck(config),
    dataFolderCheck(config),
    diskCheck(config),
    objectsCheck(config),
    moveCheck(config),
    databaseCheck(opened),
    rowSecurityCheck(opened),
    timeCheck(opened),
    certificateCheck(config),
    webhooksCheck(config),
    secretsCheck(opened),
    rateLimitsCheck(config),
    jobsCheck(config, opened),
    layersCheck(opened),
    cataloguesCheck(opened),
    cubesCheck(opened),
  ];
}
