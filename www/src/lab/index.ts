// Actions of the page on runs: opens traces, runs lanes, asks about jobs. Only code that loads later
// needs files and partitions, so it imports them from their own files.

export { acceptColumns, dropColumns, setRole, setUnit, setZone } from "./columns";
export * from "./fail";
export * from "./layout";
export * from "./machines";
export * from "./naming";
export * from "./own";
export { askReader, giveTrace, holdInWhole, needsWhole } from "./reader";
export * from "./runs";
export * from "./scenario";
export * from "./select";
export * from "./theme";
export * from "./trace";
export { givenZone } from "./zone";
