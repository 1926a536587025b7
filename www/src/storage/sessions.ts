// Sessions that the reader has asked to keep: a name, and the state of the page as a link.
import { type StoredSession, tried } from "./database";

export type Session = StoredSession;

/** Keeps a session. One of the same name is replaced. Returns true if it is kept. */
export const keepSession = async ({
  at = Date.now(),
  ...rest
}: Omit<Session, "at"> & { at?: number }): Promise<boolean> =>
  (await tried((db) => db.put("sessions", { ...rest, at }, rest.name))) !== undefined;

/** Puts back a deleted session, unless a newer one has its name. */
export const restoreSession = (session: Session) =>
  tried(async (db) => {
    const change = db.transaction("sessions", "readwrite");
    if ((await change.store.getKey(session.name)) === undefined)
      await change.store.put(session, session.name);
    await change.done;
  });

/** Returns the day on which a session was kept, in the reader's words. */
export const timeOf = ({ at }: Session): string => new Date(at).toLocaleDateString();

const isSession = (found: unknown): found is Session => {
  const { name, fragment, trace, at } = (found ?? {}) as Partial<Session>;
  return (
    typeof name === "string" &&
    typeof fragment === "string" &&
    typeof trace === "string" &&
    typeof at === "number"
  );
};

/** Returns the kept sessions, the latest first. */
export async function keptSessions(): Promise<Session[]> {
  const found = (await tried((db) => db.getAll("sessions"))) ?? [];
  return found.filter(isSession).sort((one, other) => other.at - one.at);
}

export const forgetSession = ({ name }: Session) => tried((db) => db.delete("sessions", name));
