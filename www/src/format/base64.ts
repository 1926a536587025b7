// Bytes as text.

/** Bytes that become characters at once. More arguments would be too many for a call. */
const STEP = 8192;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let from = 0; from < bytes.length; from += STEP)
    binary += String.fromCharCode(...bytes.subarray(from, from + STEP));
  return btoa(binary);
}

/** Returns the bytes of a text; undefined if it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
