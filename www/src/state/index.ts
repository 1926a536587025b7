// What the page knows: the trace, the runs, what is looked at. Everybody reads its signals; they
// are changed by the named actions of the files that hold them.
export * from "./lanes";
export * from "./lesson";
export * from "./look";
export * from "./messages";
export * from "./pointing";
export type { Seen } from "./seen";
export * from "./steps";
export * from "./tabs";
export * from "./trace";
export * from "./window";
