import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';
import { eventually } from '../browser/eventually';

/** A message at the broker, its payload as text. */
export interface Published {
  topic: string;
  payload: string;
  qos: number;
  retain: boolean;
}

/** A real MQTT broker on loopback. It keeps sessions and retained messages as long as it runs. */
export class Broker {
  /** All messages but those about the broker itself, in order of arrival. */
  readonly published: Published[] = [];
  readonly #aedes: Aedes;
  readonly #server: Server;

  private constructor(aedes: Aedes) {
    this.#aedes = aedes;
    this.#server = createServer(aedes.handle.bind(aedes));
    aedes.on('publish', ({ topic, payload, qos, retain }) => {
      if (!topic.startsWith('$SYS/')) this.published.push({ topic, payload: String(payload), qos, retain });
    });
  }

  /** Resolves when the broker listens, by default on a free port. */
  static async start(port = 0): Promise<Broker> {
    const broker = new Broker(await Aedes.createBroker());
    broker.#server.listen(port, '127.0.0.1');
    await once(broker.#server, 'listening');
    return broker;
  }

  /** What a Node-RED's broker node needs to connect. */
  get address(): { broker: string; port: string } {
    return { broker: '127.0.0.1', port: String((this.#server.address() as AddressInfo).port) };
  }

  /** Publishes a message as another client would. */
  publish(topic: string, payload: string, { retain = false } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const packet = { cmd: 'publish' as const, topic, payload, qos: 1 as const, retain, dup: false };
      this.#aedes.publish(packet, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Returns the payloads of a topic, in order. */
  payloads(topic: string): string[] {
    return this.published.filter((message) => message.topic === topic).map(({ payload }) => payload);
  }

  /** Resolves with the last payload of a topic, once it is as expected. */
  async has(topic: string, expected: (payload: string | undefined) => void): Promise<void> {
    await eventually(() => Promise.resolve(this.payloads(topic).at(-1)), expected);
  }

  /** Ends all connections, and the broker. */
  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#aedes.close(resolve);
    });
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
