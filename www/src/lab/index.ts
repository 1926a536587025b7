// Actions of the page on runs: opens traces, runs lanes, asks about jobs.

export { acceptColumns, dropColumns, setRole, setUnit, setZone } from "./columns";
export * from "./fail";
export * from "./files";
export * from "./layout";
export * from "./machines";
export * from "./naming";
export * from "./own";
export * from "./partitions";
export * from "./runs";
export * from "./scenario";
export * from "./select";
export * from "./theme";
export * from "./trace";
export { givenZone } from "./zone";
