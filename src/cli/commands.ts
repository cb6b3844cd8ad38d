import { CALL_COMMANDS } from './calls/commands.ts';
import type { Command } from './command.ts';
import {
  createAccountCommand,
  disableAccountCommand,
  eraseAccountCommand,
  enableAccountCommand,
  listAccountsCommand,
} from './accounts.ts';
import { createAoiCommand, listAoisCommand } from './aois.ts';
import { importAoisCommand } from './import-aois.ts';
import { exportAuditCommand, verifyAuditCommand } from './audit.ts';
import { createBundleCommand, importBundleCommand } from './bundle.ts';
import { backupCommand, backupKeyCommand, restoreCommand } from './backups/backup.ts';
import { backtestCommand } from './backtest.ts';
import {
  checkCollectionsCommand,
  listCollectionsCommand,
  removeCollectionCommand,
  removeScenesCommand,
  repairCollectionsCommand,
} from './collections.ts';
import {
  createClientCommand,
  listClientsCommand,
  replaceClientKeysCommand,
  revokeClientCommand,
} from './clients.ts';
import { completionCommand } from './completion.ts';
import { doctorCommand } from './doctor.ts';
import { exportStackCommand } from './export-stack.ts';
import { ingestScenesCommand, ingestStacCommand } from './ingest/scenes.ts';
import {
  addCatalogueCommand,
  listCataloguesCommand,
  removeCatalogueCommand,
  runCatalogueCommand,
} from './feeds/catalogue-feeds.ts';
import {
  fetchStationsCommand,
  followStationsCommand,
  listFollowedStationsCommand,
  unfollowStationsCommand,
} from './feeds/station-feeds.ts';
import { ingestAlertsCommand } from './ingest/alerts.ts';
import { ingestPointsCommand } from './ingest/points.ts';
import { ingestStackCommand } from './ingest/stack.ts';
import { createKeyCommand, listKeysCommand, revokeKeyCommand, rotateKeyCommand } from './keys.ts';
import { addLayerCommand } from './layers/add-layer.ts';
import { deriveDisplacementCommand } from './layers/derive-displacement.ts';
import { deriveCycloneWindCommand, deriveGustCommand } from './layers/derive-storm.ts';
import { deriveFireDangerCommand, deriveFireHistoryCommand } from './layers/derive-fire.ts';
import { deriveFloodLevelsCommand } from './layers/derive-flood-levels.ts';
import { deriveHandCommand } from './layers/derive-hand.ts';
import { availableLayersCommand, installLayerCommand } from './layers/install-layer.ts';
import {
  checkLayersCommand,
  listLayersCommand,
  removeLayerCommand,
  sampleLayersCommand,
} from './layers/layers.ts';
import { addMemberCommand, changeMemberCommand, listMembersCommand, removeMemberCommand } from './members.ts';
import { forgetSecretsCommand, rotateSecretsCommand } from './secrets.ts';
import { listNodesCommand } from './nodes.ts';
import { listBackupsCommand, releaseBackupCommand } from './backups/objects.ts';
import { moveObjectsCommand } from './backups/move-objects.ts';
import { serveCommand, workerCommand } from './serve.ts';
import { verifyCommand } from './verify.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  workerCommand,
  listNodesCommand,
  createAccountCommand,
  listAccountsCommand,
  disableAccountCommand,
  eraseAccountCommand,
  enableAccountCommand,
  addMemberCommand,
  listMembersCommand,
  changeMemberCommand,
  removeMemberCommand,
  createKeyCommand,
  listKeysCommand,
  rotateKeyCommand,
  revokeKeyCommand,
  createClientCommand,
  listClientsCommand,
  replaceClientKeysCommand,
  revokeClientCommand,
  rotateSecretsCommand,
  forgetSecretsCommand,
  exportAuditCommand,
  verifyAuditCommand,
  createAoiCommand,
  importAoisCommand,
  listAoisCommand,
  ingestStackCommand,
  ingestPointsCommand,
  ingestStacCommand,
  ingestScenesCommand,
  ingestAlertsCommand,
  addCatalogueCommand,
  listCataloguesCommand,
  runCatalogueCommand,
  removeCatalogueCommand,
  followStationsCommand,
  listFollowedStationsCommand,
  fetchStationsCommand,
  unfollowStationsCommand,
  ...CALL_COMMANDS,
  exportStackCommand,
  listCollectionsCommand,
  checkCollectionsCommand,
  repairCollectionsCommand,
  removeScenesCommand,
  removeCollectionCommand,
  createBundleCommand,
  importBundleCommand,
  backupCommand,
  backupKeyCommand,
  restoreCommand,
  listBackupsCommand,
  releaseBackupCommand,
  moveObjectsCommand,
  verifyCommand,
  backtestCommand,
  doctorCommand,
  addLayerCommand,
  availableLayersCommand,
  installLayerCommand,
  listLayersCommand,
  checkLayersCommand,
  sampleLayersCommand,
  removeLayerCommand,
  deriveHandCommand,
  deriveFloodLevelsCommand,
  deriveGustCommand,
  deriveCycloneWindCommand,
  deriveFireDangerCommand,
  deriveFireHistoryCommand,
  deriveDisplacementCommand,
  completionCommand(() => COMMANDS),
];
