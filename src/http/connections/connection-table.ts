import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Share } from '../../base/share.ts';
import { callerOf } from '../caller.ts';
import { HandshakeQueue, type Standing } from './handshake-queue.ts';

/** Maximum number of connections on which no call with a valid credential has come yet. */
const STRANGERS = 2_000;
/** Maximum number of connections of known accounts. */
const KNOWN = 4_000;
/** Time for which an address stays in good standing after a request was answered [ms]. */
const GOOD_MS = 600_000;
/** Time for which an address stays in bad standing after a connection without one whole request [ms]. */
const BAD_MS = 60_000;
const ADDRESSES = 20_000; // addresses whose standing is remembered

/** A connection of a caller. */
interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly peer: string;
  /** Whether a whole request was answered on it. */
  isUseful: boolean;
  /** The account whose share it counts in; undefined while nobody proved an identity on it. */
  account: string | undefined;
}

/**
 * Keeps count of all connections. A connection is a stranger's until a call with a valid credential comes on it. From
 * then on it counts in the share of the account.
 *
 * Strangers have a bounded part, which addresses share: see {@link Share}. A stranger above its share is not turned
 * away: its oldest connection is closed instead. If the whole part is used up, the oldest of the address with the most
 * is closed. A caller that proves its identity soon is thus let in during a flood too. Proxies that the operator trusts
 * are not counted, because their connections carry the calls of many.
 */
export class ConnectionTable {
  readonly #isProxy: (address: string) => boolean;
  readonly #strangers = new Share(STRANGERS);
  readonly #known = new Share(KNOWN);
  /** Connections of strangers by address, those first whose last answer is longest ago. */
  readonly #byAddress = new Map<string, Set<Connection>>();
  readonly #byPeer = new Map<string, Connection>();
  readonly #bySocket = new WeakMap<Socket, Connection>();
  readonly #standings = new Map<string, { readonly isGood: boolean; readonly atMs: number }>();
  readonly #handshakes = new HandshakeQueue();
  #closed = 0;

  /** @param isProxy whether an address is that of a trusted proxy */
  constructor(isProxy: (address: string) => boolean = () => false) {
    this.#isProxy = isProxy;
  }

  /** Counts a new connection until it is closed. May close other connections for it. */
  admit(socket: Socket): void {
    const ip = socket.remoteAddress;
    // The peer may have closed the connection already.
    if (ip === undefined || this.#isProxy(ip)) return;
    const address = callerOf(ip);
    if (!this.#strangers.has(address, 1)) this.#closeOne(address);
    const connection: Connection = {
      socket,
      address,
      peer: peerOf(socket),
      isUseful: false,
      account: undefined,
    };
    this.#bySocket.set(socket, connection);
    this.#byPeer.set(connection.peer, connection);
    this.#hold(connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** Begins the TLS handshake of an admitted connection, now or when its turn has come. */
  beginHandshake(socket: Socket, begin: () => void): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) {
      begin();
      return;
    }
    const { address } = connection;
    socket.once('close', this.#handshakes.add(address, this.#standingOf(address), begin));
  }

  /** Connects the socket of a completed handshake to the connection that was admitted. */
  secured(socket: Socket): void {
    const connection = this.#byPeer.get(peerOf(socket));
    if (connection !== undefined) this.#bySocket.set(socket, connection);
  }

  /** Notes a request that is handled on a connection. */
  arrived(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#bySocket.get(request.socket);
    if (connection === undefined || connection.account !== undefined) return;
    if (connection.isUseful) this.#completed(connection);
    else
      response.once('finish', () => {
        if (request.complete) this.#completed(connection);
      });
  }

  /** Returns whether a call with a valid credential has come on this connection before. */
  isKnown(socket: Socket): boolean {
    return this.#bySocket.get(socket)?.account !== undefined;
  }

  /** Returns whether the connection comes from a trusted proxy, and may carry the calls of many. */
  isShared(socket: Socket): boolean {
    return !this.#bySocket.has(socket);
  }

  /**
   * Counts a connection in the share of an account, because a call with a valid credential came on it.
   * @returns whether the connection may stay open after the answer
   */
  prove(socket: Socket, accountId: string): boolean {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined || connection.account !== undefined) return true;
    if (!this.#known.has(accountId, 1)) {
      this.#remember(connection.address, false);
      return false;
    }
    this.#release(connection);
    connection.account = accountId;
    this.#known.take(accountId, 1);
    this.#remember(connection.address, true);
    return true;
  }

  /** Gauges and counters for Prometheus. */
  metrics(): string {
    const known = KNOWN - this.#known.free;
    const strangers = STRANGERS - this.#strangers.free;
    return (
      '# HELP groundwatch_connections Open connections, of known accounts and of others.\n' +
      '# TYPE groundwatch_connections gauge\n' +
      `groundwatch_connections{of="accounts"} ${known}\ngroundwatch_connections{of="strangers"} ${strangers}\n` +
      '# HELP groundwatch_connections_closed_total Connections of strangers that were closed to make room for others.\n' +
      `# TYPE groundwatch_connections_closed_total counter\ngroundwatch_connections_closed_total ${this.#closed}\n`
    );
  }

  /** Closes a connection of a stranger: of the address itself if it has one, otherwise of the one with the most. */
  #closeOne(address: string): void {
    let heaviest = this.#byAddress.get(address);
    if (heaviest === undefined)
      for (const connections of this.#byAddress.values())
        if (heaviest === undefined || connections.size > heaviest.size) heaviest = connections;
    const [oldest] = heaviest ?? [];
    if (oldest === undefined) return;
    this.#closed++;
    oldest.socket.destroy();
    this.#release(oldest); // now, because the event `close` comes later
  }

  #hold(connection: Connection): void {
    const { address } = connection;
    this.#strangers.take(address, 1);
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? new Set()).add(connection));
  }

  /** Stops counting a connection as that of a stranger. Does nothing when it is not counted so. */
  #release(connection: Connection): void {
    const { address } = connection;
    const connections = this.#byAddress.get(address);
    if (connections?.delete(connection) !== true) return;
    this.#strangers.give(address, 1);
    if (connections.size === 0) this.#byAddress.delete(address);
  }

  #forget(connection: Connection): void {
    if (this.#byPeer.get(connection.peer) === connection) this.#byPeer.delete(connection.peer);
    this.#release(connection);
    if (connection.account !== undefined) this.#known.give(connection.account, 1);
    else if (!connection.isUseful) this.#remember(connection.address, false);
  }

  /** Notes that a whole request was answered: the connection is now the last one of its address to be closed. */
  #completed(connection: Connection): void {
    connection.isUseful = true;
    this.#remember(connection.address, true);
    const connections = this.#byAddress.get(connection.address);
    if (connections?.delete(connection) === true) connections.add(connection);
  }

  #remember(address: string, isGood: boolean): void {
    this.#standings.delete(address);
    this.#standings.set(address, { isGood, atMs: performance.now() });
    if (this.#standings.size > ADDRESSES) this.#standings.delete(this.#standings.keys().next().value!);
  }

  #standingOf(address: string): Standing {
    const standing = this.#standings.get(address);
    if (standing === undefined) return 'new';
    const ageMs = performance.now() - standing.atMs;
    if (standing.isGood) return ageMs < GOOD_MS ? 'good' : 'new';
    return ageMs < BAD_MS ? 'bad' : 'new';
  }
}

/** Address and port of the other end, which name a connection as long as it is open. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
