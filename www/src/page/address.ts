// Keeps apart what the page and what the reader wrote into the address.

/** The fragment of an address, without its `#`. */
interface Bar {
  read(): string;
  /** Writes into a new entry of the browser's history, or into the present one. */
  write(fragment: string, isStep: boolean): void;
}

/**
 * The address, with the fragment that the page last read or wrote. Any other fragment there is the
 * reader's, even if the browser has not reported the change yet.
 */
export class Address {
  #known: string;

  constructor(private readonly bar: Bar) {
    this.#known = bar.read();
  }

  /** Returns the fragment that the page last read or wrote. */
  get known(): string {
    return this.#known;
  }

  /** Reads the reader's fragment, or `undefined` if the reader wrote none since the last read. */
  take(): string | undefined {
    const fragment = this.bar.read();
    if (fragment === this.#known) return undefined;
    this.#known = fragment;
    return fragment;
  }

  /**
   * Writes the page's fragment, as a step that Back returns from or in place of the last one. A
   * fragment of the reader's that is not read yet stays.
   */
  put(fragment: string, isStep = false): void {
    if (this.bar.read() !== this.#known || (fragment === this.#known && !isStep)) return;
    this.bar.write(fragment, isStep);
    this.#known = this.bar.read();
  }
}
