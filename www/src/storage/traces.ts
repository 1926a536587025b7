// Traces that the reader has asked to keep, in the browser's private file system, named by their
// SHA-256.

const FOLDER = "traces";

async function folder(): Promise<FileSystemDirectoryHandle> {
  return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
}

/** A kept trace: its hash, its file's name and size. */
export interface Kept {
  sha256: string;
  name: string;
  bytes: number;
}

/** The name of a file holds the trace's hash and name, in allowed characters. */
const call = (sha256: string, name: string): string => `${sha256} ${encodeURIComponent(name)}`;

const called = (file: string): { sha256: string; name: string } => ({
  sha256: file.slice(0, 64),
  name: decodeURIComponent(file.slice(65)),
});

export async function keepTrace(sha256: string, file: File): Promise<void> {
  const handle = await (await folder()).getFileHandle(call(sha256, file.name), { create: true });
  const writable = await handle.createWritable();
  try {
    await writable.write(file);
    await writable.close();
  } catch (error) {
    await writable.abort().catch(() => {});
    await (await folder()).removeEntry(call(sha256, file.name)).catch(() => {});
    throw error;
  }
}

async function* entries(): AsyncGenerator<FileSystemFileHandle> {
  for await (const handle of (
    (await folder()) as unknown as { values(): AsyncIterable<FileSystemHandle> }
  ).values())
    if (handle.kind === "file") yield handle as FileSystemFileHandle;
}

/** Returns the kept trace with this hash. */
export async function keptTrace(sha256: string): Promise<File | undefined> {
  for await (const handle of entries()) {
    const { sha256: own, name } = called(handle.name);
    if (own !== sha256) continue;
    const file = await handle.getFile();
    return new File([file], name, { lastModified: file.lastModified });
  }
  return undefined;
}

export async function keptTraces(): Promise<Kept[]> {
  const found: Kept[] = [];
  for await (const handle of entries())
    found.push({ ...called(handle.name), bytes: (await handle.getFile()).size });
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

/** Bytes up to which a deleted trace stays in memory, so that it can be brought back. */
const BROUGHT_BACK = 256 << 20;

/** Deletes a kept trace. Returns its file, unless it is large or the browser cannot read it. */
export async function forgetTrace({ sha256, name, bytes }: Kept): Promise<File | undefined> {
  const kept = bytes <= BROUGHT_BACK ? await keptTrace(sha256).catch(() => undefined) : undefined;
  // The file itself can no longer be read once it is deleted.
  const content = await kept?.arrayBuffer().catch(() => undefined);
  await (await folder()).removeEntry(call(sha256, name));
  return kept && content && new File([content], name, { lastModified: kept.lastModified });
}
