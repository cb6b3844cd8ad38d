import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { ConnectionTable } from './connection-table.ts';

let ports = 0;

/** A socket that is closed as soon as it is destroyed. */
function socketOf(remoteAddress: string): Socket & { isClosed: boolean } {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    remotePort: ++ports,
    isClosed: false,
    destroy() {
      socket.isClosed = true;
      socket.emit('close');
    },
  });
  return socket as unknown as Socket & { isClosed: boolean };
}

/** Admits connections. @returns their sockets, oldest first */
function admit(table: ConnectionTable, count: number, addressOf: (i: number) => string) {
  return Array.from({ length: count }, (_, i) => {
    const socket = socketOf(addressOf(i));
    table.admit(socket);
    return socket;
  });
}

/** A whole request and its answer come on a connection. */
function use(table: ConnectionTable, socket: Socket): void {
  const response = new EventEmitter();
  table.arrived({ socket, complete: true } as unknown as IncomingMessage, response as ServerResponse);
  response.emit('finish');
}

const open = (sockets: readonly { readonly isClosed: boolean }[]): number =>
  sockets.filter(({ isClosed }) => !isClosed).length;

test('one address has half of the part of strangers: its oldest connections are closed, not its new ones', () => {
  const table = new ConnectionTable();
  const sockets = admit(table, 3_000, () => '192.0.2.1');
  assert.equal(open(sockets), 1_000);
  assert.equal(open(sockets.slice(-1_000)), 1_000, 'the newest');
});

test('addresses of one IPv6 network count as one', () => {
  const table = new ConnectionTable();
  assert.equal(open(admit(table, 3_000, (i) => `2001:db8::${(i + 1).toString(16)}`)), 1_000);
});

test('many addresses have the whole part, a newcomer still gets in, and whoever proved itself stays', () => {
  const table = new ConnectionTable();
  const [customer] = admit(table, 1, () => '198.51.100.1');
  assert.ok(table.prove(customer!, 'acc_a'));
  const sockets = admit(table, 5_000, (i) => `10.0.${i >> 8}.${i & 255}`);
  assert.equal(open(sockets), 2_000);
  const [newcomer] = admit(table, 1, () => '198.51.100.2');
  assert.equal(newcomer!.isClosed, false);
  assert.equal(customer!.isClosed, false);
  assert.equal(open(sockets), 1_999, 'it took the place of the oldest');
  assert.match(table.metrics(), /of="accounts"} 1\n.*of="strangers"} 2000\n/);
});

test('the address with the most connections loses one when the whole part is used up', () => {
  const table = new ConnectionTable();
  const many = admit(table, 40, () => '192.0.2.1');
  const others = admit(table, 1_990, (i) => `10.0.${i >> 8}.${i & 255}`);
  assert.equal(open(others), 1_990);
  assert.equal(open(many), 10);
});

test('connections of a stranger on which requests were answered are the last of its address to be closed', () => {
  const table = new ConnectionTable();
  const [useful] = admit(table, 1, () => '192.0.2.1');
  admit(table, 500, () => '192.0.2.1');
  use(table, useful!);
  admit(table, 999, () => '192.0.2.1');
  assert.equal(useful!.isClosed, false);
});

test('an account has half of the connections of accounts; what is more is answered and then closed', () => {
  const table = new ConnectionTable();
  let kept = 0;
  for (let i = 0; i < 3_000; i++) {
    const [socket] = admit(table, 1, () => `10.1.${i >> 8}.${i & 255}`);
    if (table.prove(socket!, 'acc_a')) kept++;
    else socket!.destroy();
  }
  assert.equal(kept, 2_000);
  const [other] = admit(table, 1, () => '10.2.0.1');
  assert.ok(table.prove(other!, 'acc_b'));
  assert.ok(table.prove(other!, 'acc_c'), 'a connection counts for the account that proved itself first');
});

test('closed connections are no longer counted', () => {
  const table = new ConnectionTable();
  for (const socket of admit(table, 500, (i) => `10.0.${i >> 8}.${i & 255}`)) {
    if (ports % 2 === 0) table.prove(socket, 'acc_a');
    socket.destroy();
  }
  assert.match(table.metrics(), /of="accounts"} 0\n.*of="strangers"} 0\n/);
});

test('connections of trusted proxies are not counted', () => {
  const table = new ConnectionTable((address) => address === '10.0.0.1');
  const sockets = admit(table, 3_000, () => '10.0.0.1');
  assert.equal(open(sockets), 3_000);
  assert.ok(table.isShared(sockets[0]!));
  assert.ok(table.prove(sockets[0]!, 'acc_a'));
  assert.match(table.metrics(), /of="accounts"} 0\n/);
});
