import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { buildConsole, isConsoleFresh } from '../../src/http/console/build.ts';
import { SESSION_COOKIE } from '../../src/contract/people/session.ts';
import { SIGN_IN_COOKIE } from '../../src/http/people/cookies.ts';
import { browserIsInstalled, type BrowserPage, openPage } from '../fixtures/browser.ts';
import { CLIENT, openidProvider, type TestProvider } from '../fixtures/openid-provider.ts';
import { startService, type TestService } from '../fixtures/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const PEOPLE = {
  ada: { email: 'ada@example.com', isVerified: true },
  grace: { email: 'grace@example.com', isVerified: true },
};
const RECHECK_MS = 1050; // a little more than the second for which a role is cached
const ANSWER_MS = 240_000; // time of the service for an answer, beside other tests
const SIZE = { width: 1280, height: 900 };
const skip = browserIsInstalled ? false : 'needs Debian’s chromium (apt-get install chromium)';

describe('people sign in to the console in a browser, with a real OpenID provider', { skip }, () => {
  let provider: TestProvider;
  let foreign: TestProvider;
  let service: TestService;
  let ada: Visitor;
  let grace: Visitor;

  before(async () => {
    [provider, foreign] = [await openidProvider(PEOPLE), await openidProvider(PEOPLE)];
    if (!(await isConsoleFresh(ROOT))) await buildConsole(ROOT);
    service = await startService({
      GROUNDWATCH_OIDC_ISSUER: provider.issuer,
      GROUNDWATCH_OIDC_CLIENT_ID: CLIENT.id,
      GROUNDWATCH_OIDC_CLIENT_SECRET: CLIENT.secret,
      GROUNDWATCH_CA_FILE: provider.caPath,
    });
    for (const one of [provider, foreign]) one.register(`${service.baseUrl}/auth/callback`);
    await service.cli('accounts', 'create', 'acme');
    await service.cli('members', 'add', 'acme', 'ada@example.com', '--role', 'admin');
    [ada, grace] = [await visitor(service, 'ada'), await visitor(service, 'grace')];
  });
  after(async () => {
    for (const one of [ada, grace]) await one?.page.close();
    await service?.stop();
    for (const one of [provider, foreign]) await one?.close();
  });

  test('an admin signs in, invites a person and makes a key, and nobody else comes in', async () => {
    await grace.toProvider();
    await grace.logIn();
    await grace.says('Nobody has invited you');

    await ada.signIn();
    assert.equal(await ada.badge(), 'admin');
    assert.equal(await ada.page.evaluate('document.cookie'), '', 'scripts cannot read the session');
    await ada.show('#/members');
    await ada.type('#invite-email', 'Grace@Example.com');
    await ada.choose('#invite-role', 'analyst');
    await ada.press('Invite');
    await ada.says('grace@example.com may sign in now');
    await ada.says('invited');

    await ada.show('#/account');
    await ada.says('ada@example.com');
    await ada.press('New API key');
    await ada.press('All that read');
    await ada.press('Make the key');
    await ada.says('gw_production_key_');
    await ada.choose('select[aria-label=Environment]', 'staging');
    await ada.press('New API key');
    await ada.press('All that read');
    await ada.press('Make the key');
    await ada.says('gw_staging_key_');
  });

  test('whom an admin demotes sees what is no longer possible, and an admin sees what was done', async () => {
    await grace.toProvider();
    await grace.says('Areas of interest');
    assert.equal(await grace.badge(), 'analyst');
    await grace.show('#/webhooks');
    await grace.page.until(
      `[...document.querySelectorAll('button')].some((one) => one.innerText === 'Register')`,
    );
    assert.equal(await grace.page.evaluate(`document.querySelectorAll('a[href*=members]').length`), 0);

    await ada.show('#/members');
    await ada.says('last signed in');
    await ada.choose('select[aria-label="Role of grace@example.com"]', 'viewer');
    await ada.page.until(
      `document.querySelector('select[aria-label="Role of grace@example.com"]').value === 'viewer'`,
    );
    // The list shows what was chosen, whether the service knows it or not.
    const isAnswered = (): boolean => ada.page.received.some(({ url }) => /\/v1\/members\/mbr_/.test(url));
    for (const end = Date.now() + ANSWER_MS; !isAnswered(); await pause(20))
      assert.ok(Date.now() < end, 'the role is changed');

    // Grace's console still offers the form. The refusal tells it of the new role.
    await pause(RECHECK_MS);
    await grace.type('#webhook-url', 'https://hooks.example.com/');
    await grace.press('Register');
    await grace.page.until(`document.querySelector('.who .badge').innerText === 'viewer'`);
    await grace.says('your role, viewer, lacks the scope webhooks:write');
    assert.equal(await grace.page.evaluate(`document.querySelector('#pane form')`), null);
    await grace.show('#/members');
    await grace.says('lacks the scope members:read');

    await ada.show('#/audit');
    await ada.says('Change member');
    await ada.says('Invite member');
    await ada.says('grace@example.com');
  });

  test('an admin who would be the last keeps the role', async () => {
    await ada.show('#/members');
    await ada.page.until(`document.querySelector('select[aria-label="Role of ada@example.com"]')`);
    await ada.choose('select[aria-label="Role of ada@example.com"]', 'viewer');
    await ada.says('no other admin');
    assert.equal(await ada.badge(), 'admin');
  });

  test('whom an admin removes is at the door again', async () => {
    await ada.show('#/areas');
    await ada.show('#/members');
    await ada.page.until(`document.querySelector('select[aria-label="Role of grace@example.com"]')`);
    const row = `[...document.querySelectorAll('.rows li')].find((one) => one.innerText.includes('grace@'))`;
    await ada.page.evaluate(`${row}.querySelector('button').click()`);
    await ada.says('loses access within a second');
    await ada.page.evaluate(`${row}.querySelector('.confirm button').click()`);
    await ada.page.until(`!${row}`);
    await grace.show('#/events');
    await grace.says('Your session has ended. Sign in again.');
    assert.equal(await grace.page.cookie(service.baseUrl, SESSION_COOKIE), undefined);
  });

  test('sign-out ends the session in every tab', async () => {
    const secret = await ada.page.cookie(service.baseUrl, SESSION_COOKIE);
    await ada.press('Sign out');
    await ada.says('Sign in with your organisation');
    assert.equal(await ada.page.cookie(service.baseUrl, SESSION_COOKIE), undefined);
    await ada.page.setCookie(service.baseUrl, SESSION_COOKIE, secret!);
    await ada.page.open(service.baseUrl);
    await ada.says('Sign in with your organisation');
  });

  test('an answer of the provider that comes twice is refused', async () => {
    await grace.page.open(service.baseUrl);
    await service.cli('members', 'add', 'acme', 'grace@example.com', '--role', 'viewer');
    await grace.forgetProvider(provider);
    await grace.toProvider();
    await grace.loginPage();
    const ticket = await grace.page.cookie(service.baseUrl, SIGN_IN_COOKIE);
    await grace.logIn();
    await grace.says('Areas of interest');
    const answer = grace.page.visited.findLast((url) => url.includes('/auth/callback?'))!;
    await grace.press('Sign out');
    await grace.says('Sign in with your organisation');

    await grace.page.open(answer);
    await grace.says('This browser has not begun to sign in');
    await grace.page.setCookie(service.baseUrl, SIGN_IN_COOKIE, ticket!);
    await grace.page.open(answer);
    await grace.says('This sign-in was completed before');
    assert.equal(await grace.page.cookie(service.baseUrl, SESSION_COOKIE), undefined);
    await grace.click('a');
    await grace.says('Sign in with your organisation');
  });

  test('a foreign issuer is refused', async () => {
    await grace.forgetProvider(provider);
    await grace.toProvider();
    await grace.loginPage();
    const { pathname, search } = new URL(
      grace.page.visited.findLast((url) => url.startsWith(`${provider.issuer}/auth?`))!,
    );
    await grace.page.open(`${foreign.issuer}${pathname}${search}`);
    await grace.logIn();
    await grace.says('The answer of the provider is not valid');
    const answer = grace.page.visited.findLast((url) => url.includes('/auth/callback?'))!;
    assert.equal(new URL(answer).searchParams.get('iss'), foreign.issuer);
    assert.equal(await grace.page.cookie(service.baseUrl, SESSION_COOKIE), undefined);
  });

  test('the printed key still works beside the provider', async () => {
    await grace.page.open(service.baseUrl);
    const made = await service.cli(
      'keys',
      'create',
      '--account',
      'acme',
      '--scopes',
      'aois:read,webhooks:read',
    );
    await grace.page.until(`document.querySelector('#api-key')`);
    await grace.type('#api-key', String(made['key']));
    await grace.press('Sign in with the key');
    await grace.says('Areas of interest');
    await grace.show('#/webhooks');
    await grace.says('not possible with this key: it lacks the scope webhooks:write.');
    await grace.press('Sign out');
    await grace.says('Sign in with your organisation');
    for (const { page } of [ada, grace])
      assert.deepEqual(
        // Refused calls, and what the pages of the provider lack, are expected.
        page.complaints.filter((text) => text.includes(service.baseUrl) && !/status of 40[013]/.test(text)),
        [],
      );
  });
});

/** A person at the console, with a browser of their own. */
interface Visitor extends Awaited<ReturnType<typeof visitor>> {}

async function visitor(service: TestService, login: string) {
  const page: BrowserPage = await openPage(service.baseUrl, SIZE, { trusts: true });
  const at = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})`;
  const says = (text: string) => page.until(`document.body?.innerText.includes(${JSON.stringify(text)})`);
  const click = (selector: string) => page.evaluate(`${at(selector)}.click()`);
  const set = (event: string) => (selector: string, value: string) =>
    page.until(at(selector)).then(() =>
      page.evaluate(`{ const field = ${at(selector)}; field.value = ${JSON.stringify(value)};
        field.dispatchEvent(new Event('${event}', { bubbles: true })); }`),
    );
  const type = set('input');
  const press = async (label: string): Promise<void> => {
    const button = `[...document.querySelectorAll('button, summary')]
      .find((one) => one.innerText.trim() === ${JSON.stringify(label)} && !one.disabled)`;
    await page.until(button);
    await page.evaluate(`${button}.click()`);
  };
  /** Follows the link of the console to the provider. */
  const toProvider = async (): Promise<void> => {
    await page.open(service.baseUrl);
    await page.until(at('a[href="auth/sign-in"]'));
    await click('a[href="auth/sign-in"]');
  };
  const loginPage = (): Promise<void> => page.until(at('input[name=login]'));
  /** Logs in on the page of a provider. */
  const logIn = async (): Promise<void> => {
    await loginPage();
    await type('input[name=login]', login);
    await type('input[name=password]', 'any');
    await click('form [type=submit]');
  };
  return {
    page,
    says,
    click,
    press,
    type,
    choose: set('change'),
    toProvider,
    loginPage,
    logIn,
    async signIn(): Promise<void> {
      await toProvider();
      await logIn();
      await says('Areas of interest');
    },
    show: (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`),
    /** Role that the header shows. */
    badge: () => page.evaluate(`${at('.who .badge')}.innerText`),
    /** Signs out of the provider itself, which otherwise knows the person at the next sign-in. */
    async forgetProvider({ issuer }: TestProvider): Promise<void> {
      await page.setCookie(issuer, '_session', '');
      await page.setCookie(issuer, '_session.sig', '');
    },
  };
}
