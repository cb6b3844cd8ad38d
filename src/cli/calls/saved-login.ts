import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceFile } from '../../base/durable-file.ts';
import { Failed } from '../command.ts';

/** How the command line calls a service: what `login` keeps. */
export interface Login {
  /** Address of the service, such as `https://localhost:8443`. */
  readonly url: string;
  /** An API key. */
  readonly key: string;
  /** PEM certificates of authorities to trust in addition to the system's. */
  readonly ca?: string | undefined;
}

/** Keeps a login in a file that only its user can read. */
export async function saveLogin(path: string, login: Login): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(login, undefined, 2)}\n`, 0o600);
}

/** The kept login. @throws Failed when there is none, or the file is not one of `login` */
export async function savedLogin(path: string): Promise<Login> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Failed('no service is known here; run groundwatch login first');
  }
  try {
    const { url, key, ca } = JSON.parse(text) as Partial<Login>;
    if (typeof url === 'string' && typeof key === 'string') return { url, key, ca };
  } catch {
    // told below
  }
  throw new Failed(`${path} is damaged; run groundwatch login again`);
}

/** Forgets the kept login. @returns whether there was one */
export async function forgetLogin(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
