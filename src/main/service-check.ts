import { resolve } from 'node:path';
import type { InstallationCheck } from '../cli/installation-check.ts';
import { givenSettings, SETTINGS } from '../config.ts';
import { askService } from './service-socket.ts';

/** Default of GROUNDWATCH_DATA, for the case that another setting is invalid. */
const DATA_FOLDER = SETTINGS.find(({ name }) => name === 'GROUNDWATCH_DATA')!.fallback;

/**
 * Asks the service that runs on the data folder for its settings.
 * @param use called with them
 */
export const serviceCheck = (
  use: (settings: Readonly<Record<string, string>>) => void,
): InstallationCheck => ({
  part: 'service',
  remedy: 'look at the log of the service, and restart it',
  async look() {
    const here = givenSettings();
    const dataFolder = here['GROUNDWATCH_DATA'] ?? resolve(DATA_FOLDER);
    const running = await askService(dataFolder);
    if (running === undefined)
      return {
        status: 'ok',
        found: `none that can be asked runs on ${dataFolder}; the settings of this shell are checked`,
      };
    use({ GROUNDWATCH_DATA: dataFolder, ...running.settings });
    const others = SETTINGS.map(({ name }) => name).filter(
      (name) => name !== 'GROUNDWATCH_DATA' && running.settings[name] !== here[name],
    );
    const { pid, version, startedAt } = running;
    const differ = others.length === 0 ? '' : `; this shell has others: ${others.join(', ')}`;
    return {
      status: 'ok',
      found: `${version} runs since ${startedAt} (process ${pid}); its settings are checked${differ}`,
    };
  },
});
