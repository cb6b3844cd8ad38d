/** Paths of the links in mails, before the secret. */
export const CONFIRM_PATH = '/mail/confirm';
export const STOP_PATH = '/mail/stop';
