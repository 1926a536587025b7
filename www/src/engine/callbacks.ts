// Functions of the page that workers call. Comlink would let a worker reach every member of them, and
// so everything: a sandbox could be made to.
import * as Comlink from "comlink";

type Callback = (...given: unknown[]) => unknown;

/** Answers calls of a function at a port, and nothing else. */
function answer(callback: Callback, port: MessagePort): void {
  port.onmessage = async ({ data }: MessageEvent) => {
    const { id, type, path, argumentList } = (data ?? {}) as Record<string, unknown>;
    if (type === "RELEASE") return port.close();
    const isCall = type === "APPLY" && Array.isArray(path) && path.length === 0;
    if (!isCall || !Array.isArray(argumentList)) return;
    const given = argumentList.map((each) => (each as { value?: unknown } | null)?.value);
    try {
      port.postMessage({ id, type: "RAW", value: await callback(...given) });
    } catch (error) {
      const { message = String(error), name = "Error" } = error as Partial<Error>;
      const value = { isError: true, value: { message, name, stack: "" } };
      port.postMessage({ id, type: "HANDLER", name: "throw", value });
    }
  };
}

Comlink.transferHandlers.set("proxy", {
  canHandle: (value: unknown): value is Callback & Comlink.ProxyMarked =>
    typeof value === "function" && Comlink.proxyMarker in value,
  serialize(callback: Callback) {
    const { port1, port2 } = new MessageChannel();
    answer(callback, port1);
    return [port2, [port2]];
  },
  // No worker hands a function to the page.
  deserialize: () => undefined,
} as unknown as Comlink.TransferHandler<Callback & Comlink.ProxyMarked, MessagePort>);
