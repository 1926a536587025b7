// Unpacks gzip data of one or more members, as the command line does.
//
// A browser's DecompressionStream unpacks one member, refuses the rest, and does not say where the
// member ended. This file finds the ends: where a member may begin, the four bytes before must be
// the size of the data unpacked so far. The browser then checks the member's checksum.
import { LIMITS } from "../engine/limits";

/** The first bytes of a member: two bytes of gzip, and the only method there is. */
const [FIRST, SECOND, METHOD] = [0x1f, 0x8b, 8];

/** Bytes of the shortest member. */
const SHORTEST = 18;

/** Most bytes to unpack at once. They may grow a thousandfold. */
const STEP = 1 << 16;

/** Thrown if there are more members than allowed. */
export class TooManyMembers extends Error {}

/** Thrown if the data is not gzip, is cut short, or has another checksum. */
export class Damaged extends Error {}

/** Reports any error of the browser as damaged data. */
function damaged(): never {
  throw new Damaged();
}

/** Waits until the output of streams has arrived. A timer would wait for at least 4 ms. */
class Waiting {
  private readonly channel = new MessageChannel();

  once(): Promise<void> {
    return new Promise((resolve) => {
      this.channel.port1.onmessage = () => resolve();
      this.channel.port2.postMessage(null);
    });
  }

  close(): void {
    this.channel.port1.close();
  }
}

/** A member that is being unpacked. */
class Member {
  /** Unpacked bytes that nobody has taken yet. */
  private ready: Uint8Array[] = [];
  /** Number of bytes that went in, and of those that came out. */
  private taken = 0;
  private made = 0;
  /** The last bytes that went in. */
  private last = new Uint8Array(4);
  private readonly stream = new DecompressionStream("gzip");
  private readonly writer = this.stream.writable.getWriter();
  private readonly over = this.pump();

  constructor(private readonly waiting: Waiting) {
    // `write` or `end` reports the error.
    this.over.catch(() => {});
    this.writer.closed.catch(() => {});
  }

  private async pump(): Promise<void> {
    const reader = this.stream.readable.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.ready.push(value);
      this.made += value.byteLength;
    }
  }

  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (bytes.byteLength === 0) return;
    const tail = bytes.slice(-4);
    this.last = new Uint8Array([...this.last, ...tail]).slice(-4);
    this.taken += bytes.byteLength;
    await this.writer.write(bytes).catch(damaged);
  }

  /** True if the member may be at its end: the last bytes give the size of all its output. */
  async mayEnd(): Promise<boolean> {
    if (this.taken < SHORTEST) return false;
    for (let before = -1; before !== this.made; ) {
      before = this.made;
      await this.waiting.once();
    }
    return new DataView(this.last.buffer).getUint32(0, true) === this.made % 2 ** 32;
  }

  /** Throws if the member is cut short or has another checksum. */
  async end(): Promise<void> {
    await this.writer.close().catch(damaged);
    await this.over.catch(damaged);
  }

  take(): Uint8Array[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }
}

/**
 * Returns the place of a member's first bytes from `from` on; the place of their beginning, if the
 * bytes end there; or the end.
 */
function candidate(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(FIRST, from); at !== -1; at = bytes.indexOf(FIRST, at + 1)) {
    const [second = SECOND, method = METHOD] = [bytes[at + 1], bytes[at + 2]];
    if (second === SECOND && method === METHOD) return at;
  }
  return bytes.length;
}

/**
 * Unpacks gzip data that comes in pieces, with at most `most` members.
 * Throws Damaged or TooManyMembers.
 */
export async function* unpack(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  most: number = LIMITS.gzip_members,
): AsyncGenerator<Uint8Array> {
  const waiting = new Waiting();
  try {
    yield* unpackMembers(pieces, most, waiting);
  } finally {
    waiting.close();
  }
}

async function* unpackMembers(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  most: number,
  waiting: Waiting,
): AsyncGenerator<Uint8Array> {
  let member = new Member(waiting);
  let members = 1;
  // The beginning of possible first bytes, which the next piece completes.
  let rest = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = rest.length > 0 ? new Uint8Array([...rest, ...piece]) : piece;
    rest = new Uint8Array();
    for (let from = 0, found = -1; from < bytes.length; ) {
      const start = candidate(bytes, found + 1);
      const to = Math.min(start, from + STEP);
      await member.write(bytes.subarray(from, to));
      yield* member.take();
      from = to;
      if (to < start || start === bytes.length) continue;
      if (start + 3 > bytes.length) {
        rest = bytes.slice(start);
        break;
      }
      found = start;
      if (await member.mayEnd()) {
        await member.end();
        yield* member.take();
        members += 1;
        if (members > most) throw new TooManyMembers();
        member = new Member(waiting);
      }
    }
  }
  await member.write(rest);
  await member.end();
  yield* member.take();
}
