import { once } from 'node:events';
import { get } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

const PROBE_MS = 500; // interval between two probes of a node
const PATIENCE_MS = 2_000;

/** A node behind a balancer: its port, and whether its last probe said that it is ready. */
interface Backend {
  readonly port: number;
  isReady: boolean;
}

/**
 * Passes connections on to nodes that are ready, in turn, as a balancer of TCP does: it asks `/readyz` twice a second,
 * and tries the next node when one refuses a connection. It repeats no call.
 */
export class Balancer {
  readonly #ca: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #probing: NodeJS.Timeout;
  #nodes: readonly Backend[] = [];
  #turn = 0;

  private constructor(ca: string) {
    this.#ca = ca;
    this.#server = createServer({ allowHalfOpen: false }, (near) => this.#pass(near));
    this.#probing = setInterval(() => void this.probe(), PROBE_MS);
  }

  /** @param ca certificate authority of the nodes, PEM */
  static async listen(ca: string): Promise<Balancer> {
    const balancer = new Balancer(ca);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get address(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds the node at an address when its probe says that it is ready. */
  async add(baseUrl: string): Promise<void> {
    this.#nodes = [...this.#nodes, { port: Number(new URL(baseUrl).port), isReady: false }];
    await this.probe();
  }

  async probe(): Promise<void> {
    await Promise.all(
      this.#nodes.map(async (node) => {
        node.isReady = await this.#isReady(node.port);
      }),
    );
  }

  close(): void {
    clearInterval(this.#probing);
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  #isReady(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      const options = { ca: this.#ca, agent: false, timeout: PATIENCE_MS };
      const call = get(`https://localhost:${port}/readyz`, options, (answer) => {
        answer.resume().once('close', () => resolve(answer.statusCode === 200));
      });
      call.once('timeout', () => call.destroy()).once('error', () => resolve(false));
    });
  }

  #pass(near: Socket): void {
    const ready = this.#nodes.filter(({ isReady }) => isReady);
    this.#turn++;
    this.#tryNext(
      near,
      ready.map((_, i) => ready[(i + this.#turn) % ready.length]!),
    );
  }

  #tryNext(near: Socket, [node, ...others]: readonly Backend[]): void {
    if (node === undefined) {
      near.destroy();
      return;
    }
    const far = connect(node.port, '127.0.0.1');
    const refused = (): void => this.#tryNext(near, others);
    far.once('error', refused).once('connect', () => {
      far.off('error', refused);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#open.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#open.delete(one);
          other.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
  }
}
